import { parseJson } from '../../../shared/text/json.ts'
import type { ToolCall } from '../client/model-client.ts'
import type { CallPiece } from './openai-stream.ts'

/** Joins the pieces of tool calls, each call as the model wrote it. */
export class ToolCallCollector {
  readonly #open: (CallPiece & { name: string })[] = []

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
   * Returns the calls in order. Arguments that are not JSON are returned as they are: the other calls of the answer are
   * still valid, and the model is told what was wrong with this one.
   *
   * Shape: `isCut`: the answer's length ended it, and the call that it was writing then is left out.
   */
  finish(isCut: boolean): ToolCall[] {
    const last = this.#open.at(-1)
    const isHalf = isCut && last !== undefined && (last.name === '' || !isJsonObject(last.arguments))
    return this.#open.slice(0, isHalf ? -1 : undefined).map((call, position) => {
      // A tool without parameters may be called without arguments.
      const given = call.arguments.trim() === '' ? '{}' : call.arguments
      return { id: call.id ?? `call-${position + 1}`, name: call.name, arguments: given }
    })
  }
}

export function isJsonObject(text: string): boolean {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
