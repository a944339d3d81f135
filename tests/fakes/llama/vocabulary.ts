const commonTokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
const pieces = / ?[A-Za-z_\u00c0-\u024f]+|[0-9]|\n| +(?= )| ?[!-/:-@[-^`{-~]{1,3}|[\s\S]/gu
/** Characters that are one token each; others beyond ASCII are byte tokens, as emoji and rare kanji really are. */
const wholeCharacters = /^[\u3000-\u30ff]$/

const endOfTurn = '<|im_end|>'

/**
 * The fake's own tokenizer. One token each: a Latin word and up to three signs, with the space before them; a digit,
 * a line end, a kana. Any other character is a token of its first two bytes and one for each further byte, so that
 * tokens may end inside a character.
 *
 * Shape: reversible; ids are given in the order in which pieces are first met.
 */
export class Vocabulary {
  readonly size = 49_152
  readonly #pieces: Buffer[]
  readonly #ids = new Map<string, number>()
  readonly #special: readonly string[]
  readonly #specialPattern: RegExp

  /** `more`: control tokens of this model beside the usual ones. */
  constructor(more: readonly string[] = []) {
    this.#special = [...commonTokens, ...more]
    const patterns = this.#special.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    this.#specialPattern = new RegExp(`(${patterns.join('|')})`)
    this.#pieces = this.#special.map((text) => Buffer.from(text))
    for (let byte = 0; byte < 256; byte += 1) this.#idOf(Buffer.of(byte))
  }

  get endId(): number {
    return this.#special.indexOf(endOfTurn)
  }

  encode(text: string, parsesSpecial = true): number[] {
    const parts = parsesSpecial ? text.split(this.#specialPattern) : [text]
    return parts.flatMap((part) => {
      const special = parsesSpecial ? this.#special.indexOf(part) : -1
      return special === -1 ? this.#encodePlain(part) : [special]
    })
  }

  /** One token for the piece, whatever it is. */
  encodePiece(piece: string): number {
    return this.#idOf(Buffer.from(piece))
  }

  /** Null where the vocabulary has no such token. */
  bytesOf(id: number): Buffer | null {
    if (!Number.isInteger(id) || id < 0 || id >= this.size) return null
    return this.#pieces[id] ?? Buffer.from(` w${id}`)
  }

  decode(ids: readonly number[]): string {
    return Buffer.concat(ids.map((id) => this.bytesOf(id) ?? Buffer.alloc(0))).toString('utf8')
  }

  #encodePlain(text: string): number[] {
    return (text.match(pieces) ?? []).flatMap((piece) => {
      const bytes = Buffer.from(piece)
      const isWhole = bytes.length === piece.length || wholeCharacters.test(piece) || piece.length > 2
      // A full vocabulary still has every byte.
      const headLength = this.#pieces.length >= this.size ? 1 : isWhole ? bytes.length : 2
      const tail = [...bytes.subarray(headLength)].map((byte) => Buffer.of(byte))
      return [bytes.subarray(0, headLength), ...tail].map((part) => this.#idOf(part))
    })
  }

  #idOf(bytes: Buffer): number {
    const key = bytes.toString('latin1')
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#pieces.length
    this.#pieces.push(bytes)
    this.#ids.set(key, id)
    return id
  }
}
