import { AppError } from '../../shared/errors.ts'
import type { ToolCall } from './model-client.ts'
import type { CallPiece } from './openai-stream.ts'

type Open = { index: number; id: string | null; name: string; arguments: string }

/**
 * Puts the pieces of tool calls together. What is not whole at the end is never a call: a command that was cut
 * could do something else than was meant.
 */
export class ToolCallCollector {
  readonly #address: string
  readonly #open: Open[] = []

  constructor(address: string) {
    this.#address = address
  }

  get isEmpty(): boolean {
    return this.#open.length === 0
  }

  push(piece: CallPiece): void {
    const last = this.#open.findLast(({ index }) => index === piece.index)
    // Some servers give every call the index 0: another id is another call.
    const isNext = last !== undefined && piece.id !== null && last.id !== null && piece.id !== last.id
    if (last === undefined || isNext) {
      const { index, id, name } = piece
      this.#open.push({ index, id, name: name ?? '', arguments: piece.arguments })
      return
    }
    last.id ??= piece.id
    if (last.name === '') last.name = piece.name ?? ''
    last.arguments += piece.arguments
  }

  /**
   * The calls in order, each whole. `isCut`: the answer's length ended it, and what it was writing then is left
   * out; who asked is told of the length, and can have it written shorter.
   *
   * Errors: `model/bad-response` where another one is not whole.
   */
  finish(isCut: boolean): ToolCall[] {
    const last = this.#open.at(-1)
    const isHalf = isCut && last !== undefined && (last.name === '' || !isJsonObject(last.arguments))
    return this.#open.slice(0, isHalf ? -1 : undefined).map((call, position) => {
      // A tool without parameters may be called with nothing.
      const given = call.arguments.trim() === '' ? '{}' : call.arguments
      if (call.name === '' || !isJsonObject(given)) throw this.#bad()
      return { id: call.id ?? `call-${position + 1}`, name: call.name, arguments: given }
    })
  }

  #bad(): AppError {
    const reason = 'a tool call is not whole'
    return new AppError({ code: 'model/bad-response', address: this.#address, reason })
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
