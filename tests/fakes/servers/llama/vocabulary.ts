const usualTokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
const pieces = / ?[A-Za-z_\u00c0-\u024f]+|[0-9]|\n| +(?= )| ?[!-/:-@[-^`{-~]{1,3}|[\s\S]/gu
/** Characters that are one token each; others beyond ASCII are byte tokens, as emoji and rare kanji really are. */
const wholeCharacters = /^[\u3000-\u30ff]$/

/** How many parts of prompts are remembered. */
const mostParts = 1_000

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
  /** A prompt is mostly what the one before it was, so what was encoded once is remembered: by part and by piece. */
  readonly #encodedParts = new Map<string, readonly number[]>()
  readonly #encodedPieces = new Map<string, readonly number[]>()
  readonly #special: readonly string[]
  readonly #specialPattern: RegExp
  readonly #userPattern: RegExp

  /**
   * `more`: control tokens of this model beside the usual ones; `user`: tokens that are read in every text; `usual`: in
   * place of the usual ones.
   */
  constructor(
    more: readonly string[] = [],
    user: readonly string[] = [],
    usual: readonly string[] = usualTokens,
  ) {
    this.#special = [...usual, ...more, ...user]
    const oneOf = (tokens: readonly string[]): RegExp =>
      new RegExp(`(${tokens.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`)
    this.#specialPattern = oneOf(this.#special)
    this.#userPattern = user.length === 0 ? /(?!)/ : oneOf(user)
    this.#pieces = this.#special.map((text) => Buffer.from(text))
    for (let byte = 0; byte < 256; byte += 1) this.#idOf(Buffer.of(byte))
  }

  get endId(): number {
    return Math.max(0, this.#special.indexOf(endOfTurn))
  }

  encode(text: string, parsesSpecial = true): number[] {
    const parts = text.split(parsesSpecial ? this.#specialPattern : this.#userPattern)
    const ids: number[] = []
    for (const [at, part] of parts.entries()) {
      const special = at % 2 === 1 ? this.#special.indexOf(part) : -1
      if (special !== -1) ids.push(special)
      else for (const id of this.#encodePlain(part)) ids.push(id)
    }
    return ids
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

  #encodePlain(text: string): readonly number[] {
    const known = this.#encodedParts.get(text)
    if (known !== undefined) return known
    const ids: number[] = []
    for (const piece of text.match(pieces) ?? []) for (const id of this.#encodePieceText(piece)) ids.push(id)
    if (this.#encodedParts.size >= mostParts) this.#encodedParts.clear()
    this.#encodedParts.set(text, ids)
    return ids
  }

  #encodePieceText(piece: string): readonly number[] {
    const known = this.#encodedPieces.get(piece)
    if (known !== undefined) return known
    const bytes = Buffer.from(piece)
    const isWhole = bytes.length === piece.length || wholeCharacters.test(piece) || piece.length > 2
    // A full vocabulary still has every byte.
    const isFull = this.#pieces.length >= this.size
    const headLength = isFull ? 1 : isWhole ? bytes.length : 2
    const tail = [...bytes.subarray(headLength)].map((byte) => Buffer.of(byte))
    const ids = [bytes.subarray(0, headLength), ...tail].map((part) => this.#idOf(part))
    if (!isFull) this.#encodedPieces.set(piece, ids)
    return ids
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
