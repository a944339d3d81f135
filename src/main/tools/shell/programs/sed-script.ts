/** Commands without arguments that print, delete, hold or quit. */
const plainCommands = /[dDgGhHlnNpPxz=]/
const quitCommands = /[qQ]\d*/y
const substituteFlags = /[0-9gIipM]*/y
const number = /\d+(?:~\d+)?|\$/y
const secondNumber = /[+~]?\d+|\$/y
const commandEnd = /[ \t]*(?:[;\n][;\n \t]*|$)/y
const blanks = /[ \t]*/y

/**
 * True for a sed script that can only print: addresses, `s` without `e` and `w`, and plain commands.
 *
 * Systems differ on whether a delimiter ends its part inside `[ ]`: the script must be harmless both ways.
 */
export function isReadOnlySed(script: string): boolean {
  // Any script that looks like `w file` is refused, even where it may be harmless.
  if (script === '' || /[erwRWF]\s/.test(script) || /\\\n/.test(script)) return false
  return new SedScan(script, false).run() && new SedScan(script, true).run()
}

class SedScan {
  private readonly script: string
  private readonly knowsBrackets: boolean
  private at = 0

  constructor(script: string, knowsBrackets: boolean) {
    this.script = script
    this.knowsBrackets = knowsBrackets
  }

  run(): boolean {
    this.skip(/[;\n \t]*/y)
    while (this.at < this.script.length) {
      if (!this.address() || !this.command() || !this.skip(commandEnd)) return false
    }
    return true
  }

  private skip(form: RegExp): boolean {
    form.lastIndex = this.at
    const isFound = form.test(this.script)
    if (isFound) this.at = form.lastIndex
    return isFound
  }

  private address(): boolean {
    if (this.script[this.at] === '/') {
      if (!this.regex()) return false
    } else if (!this.skip(number)) return true
    this.skip(blanks)
    if (this.script[this.at] === ',') {
      this.at += 1
      this.skip(blanks)
      if (this.script[this.at] === '/' ? !this.regex() : !this.skip(secondNumber)) return false
    }
    return this.skip(/[ \t]*!?[ \t]*/y)
  }

  private regex(): boolean {
    this.at += 1
    return this.part('/') && this.skip(/I?/y)
  }

  private command(): boolean {
    const command = this.script.charAt(this.at)
    if (command === 's') return this.substitute()
    if (plainCommands.test(command)) {
      this.at += 1
      return true
    }
    return this.skip(quitCommands)
  }

  private substitute(): boolean {
    const delimiter = this.script.charAt(this.at + 1)
    if (!/[^\s\\A-Za-z0-9]/.test(delimiter)) return false
    this.at += 2
    return this.part(delimiter) && this.replacement(delimiter) && this.skip(substituteFlags)
  }

  private replacement(delimiter: string): boolean {
    return this.until(delimiter, false)
  }

  private part(delimiter: string): boolean {
    return this.until(delimiter, this.knowsBrackets)
  }

  private until(delimiter: string, knowsBrackets: boolean): boolean {
    while (this.at < this.script.length) {
      const char = this.script.charAt(this.at)
      if (char === '\n') return false
      if (char === '\\') this.at += 2
      else if (char === delimiter) {
        this.at += 1
        return true
      } else if (char === '[' && knowsBrackets) {
        const bracket = /\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]])*\]/y
        if (!this.skip(bracket)) return false
      } else this.at += 1
    }
    return false
  }
}
