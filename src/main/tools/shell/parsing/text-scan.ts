/** Reads a text from left to right. */
export class TextScan {
  protected readonly text: string
  /** Units: UTF-16 code units. */
  protected at: number

  constructor(text: string, at = 0) {
    this.text = text
    this.at = at
  }

  /** Returns what a form with the flag `y` matches here, and passes over it; null where it does not match. */
  protected match(form: RegExp): string | null {
    form.lastIndex = this.at
    const found = form.exec(this.text)?.[0] ?? null
    this.at += found?.length ?? 0
    return found
  }
}

/** Returns the words of these texts, which are separated by spaces. */
export function wordSet(...texts: string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(' ')))
}
