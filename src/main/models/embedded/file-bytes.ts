import type { FileHandle } from 'node:fs/promises'

/** A reader of little-endian numbers and texts, in order. Every method throws where the bytes end. */
export type ByteReader = Pick<
  FileBytes,
  | 'u8'
  | 'i8'
  | 'u16'
  | 'i16'
  | 'u32'
  | 'i32'
  | 'u64'
  | 'i64'
  | 'f32'
  | 'f64'
  | 'text'
  | 'skip'
  | 'position'
  | 'leftBytes'
>

const blockBytes = 256 * 1024

/** Reads a file from its beginning in blocks, so that a head of a hundred thousand entries takes few reads. */
export class FileBytes {
  readonly #file: FileHandle
  readonly #sizeBytes: number
  readonly #limit: AbortSignal | undefined
  #block = Buffer.alloc(0)
  #blockStart = 0
  #position = 0

  /** Reading past `limit` throws its reason. */
  constructor(file: FileHandle, sizeBytes: number, limit?: AbortSignal) {
    this.#file = file
    this.#sizeBytes = sizeBytes
    this.#limit = limit
  }

  get position(): number {
    return this.#position
  }

  get leftBytes(): number {
    return this.#sizeBytes - this.#position
  }

  u8 = async () => (await this.#take(1)).readUInt8()
  i8 = async () => (await this.#take(1)).readInt8()
  u16 = async () => (await this.#take(2)).readUInt16LE()
  i16 = async () => (await this.#take(2)).readInt16LE()
  u32 = async () => (await this.#take(4)).readUInt32LE()
  i32 = async () => (await this.#take(4)).readInt32LE()
  u64 = async () => (await this.#take(8)).readBigUInt64LE()
  i64 = async () => (await this.#take(8)).readBigInt64LE()
  f32 = async () => (await this.#take(4)).readFloatLE()
  f64 = async () => (await this.#take(8)).readDoubleLE()
  text = async (sizeBytes: number) => (await this.#take(sizeBytes)).toString('utf8')

  skip(sizeBytes: number): void {
    if (this.#position + sizeBytes > this.#sizeBytes) throw new Error('damaged: it ends too early')
    this.#position += sizeBytes
  }

  async #take(sizeBytes: number): Promise<Buffer> {
    this.#limit?.throwIfAborted()
    const start = this.#position
    this.skip(sizeBytes)
    const end = start + sizeBytes
    if (start < this.#blockStart || end > this.#blockStart + this.#block.length) {
      const block = Buffer.alloc(Math.min(Math.max(blockBytes, sizeBytes), this.#sizeBytes - start))
      const { bytesRead } = await this.#file.read(block, 0, block.length, start)
      if (bytesRead < sizeBytes) throw new Error('damaged: it ends too early')
      this.#block = block.subarray(0, bytesRead)
      this.#blockStart = start
    }
    return this.#block.subarray(start - this.#blockStart, end - this.#blockStart)
  }
}
