/** Joins two values into one, or returns undefined where they cannot be joined. */
type MergeValues = (older: unknown, newer: unknown) => unknown

/** A reader's queue of items; adjacent ones may merge. Units: bytes of their JSON in UTF-8. */
export class ItemQueue {
  #entries: { value: unknown; sizeBytes: number }[] = []
  #head = 0
  #sizeBytes = 0
  #isExact = true
  readonly #merge: MergeValues | undefined

  constructor(merge?: MergeValues) {
    this.#merge = merge
  }

  get length(): number {
    return this.#entries.length - this.#head
  }

  push(value: unknown): void {
    const sizeBytes = jsonBytes(value)
    const last = this.length > 0 ? this.#entries.at(-1) : undefined
    const merged = last && this.#merge?.(last.value, value)
    this.#sizeBytes += sizeBytes
    if (last && merged !== undefined) {
      last.value = merged
      last.sizeBytes += sizeBytes
      this.#isExact = false
    } else {
      this.#entries.push({ value, sizeBytes })
    }
  }

  /** Removes and returns the oldest item; undefined when empty. */
  shift(): { value: unknown } | undefined {
    const entry = this.#entries[this.#head]
    if (!entry) return undefined
    this.#head += 1
    this.#sizeBytes -= entry.sizeBytes
    if (this.length === 0) {
      this.clear()
    } else if (this.#head === 1000) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
    return entry
  }

  /** Returns true while more than `limitBytes` wait. One item alone may have any size. */
  isOver(limitBytes: number): boolean {
    if (this.length < 2 || this.#sizeBytes <= limitBytes) return false
    if (!this.#isExact) this.#measure()
    return this.#sizeBytes > limitBytes
  }

  clear(): void {
    this.#entries = []
    this.#head = 0
    this.#sizeBytes = 0
    this.#isExact = true
  }

  // Merging adds sizes up, which counts the braces of each part. A long merged text is measured only
  // when it matters, so that appending to it stays cheap.
  #measure(): void {
    this.#sizeBytes = 0
    for (const entry of this.#entries.slice(this.#head)) {
      entry.sizeBytes = jsonBytes(entry.value)
      this.#sizeBytes += entry.sizeBytes
    }
    this.#isExact = true
  }
}

const encoder = new TextEncoder()

/** Units: bytes of UTF-8. Errors: throws for what JSON cannot carry (a cycle, a bigint). */
function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value) ?? '').length
}
