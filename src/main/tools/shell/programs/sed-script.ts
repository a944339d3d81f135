import { TextScan } from '../parsing/text-scan.ts'

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

class SedScan extends TextScan {
  private readonly knowsBrackets: boolean

  constructor(script: string, knowsBrackets: boolean) {
    super(script)
    this.knowsBrackets = knowsBrackets
  }

  run(): boolean {
    this.skip(/[;\n \t]*/y)
    while (this.at < this.text.length) {
      if (!this.address() || !this.command() || !this.skip(commandEnd)) return false
    }
    return true
  }

  private skip(form: RegExp): boolean {
    return this.match(form) !== null
  }

  private address(): boolean {
    if (this.text[this.at] === '/') {
      if (!this.regex()) return false
    } else if (!this.skip(number)) return true
    this.skip(blanks)
    if (this.text[this.at] === ',') {
      this.at += 1
      this.skip(blanks)
      if (this.text[this.at] === '/' ? !this.regex() : !this.skip(secondNumber)) return false
    }
    return this.skip(/[ \t]*!?[ \t]*/y)
  }

  private regex(): boolean {
    this.at += 1
    return this.part('/') && this.skip(/I?/y)
  }

  private command(): boolean {
    const command = this.text.charAt(this.at)
    if (command === 's') return this.substitute()
    if (plainCommands.test(command)) {
      this.at += 1
      return true
    }
    return this.skip(quitCommands)
  }

  private substitute(): boolean {
    const delimiter = this.text.charAt(this.at + 1)
    if (!/[^\s\\A-Za-z0-9]/.test(delimiter)) return false
    this.at += 2
    // Brackets have no meaning in the replacement.
    return this.part(delimiter) && this.until(delimiter, false) && this.skip(substituteFlags)
  }

  private part(delimiter: string): boolean {
    return this.until(delimiter, this.knowsBrackets)
  }

  private until(delimiter: string, knowsBrackets: boolean): boolean {
    while (this.at < this.text.length) {
      const char = this.text.charAt(this.at)
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
