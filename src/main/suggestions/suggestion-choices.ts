import type { SuggestionPlace, SuggestionSource } from '../../shared/domain/session/suggestion.ts'

/** So many suggestions at the most stand behind each other. */
const mostChoices = 3

/** One of the suggestions after a turn. `isTold`: it was shown, and is in the record. */
export type Choice = { suggestionId: string; text: string; source: SuggestionSource; isTold: boolean }

/** What can be suggested after one turn, best first; the model's own comes last, and only when it is asked for. */
export class SuggestionChoices {
  #list: Choice[] = []
  #unaskedReply: string | null = null

  /** Of equal texts the first counts. Shape: `reply` is what the model would go on from for one more; null: never. */
  begin(found: readonly Choice[], reply: string | null): void {
    const isFirst = ({ text }: Choice, at: number) => found.findIndex((one) => one.text === text) === at
    this.#list = found.filter(isFirst).slice(0, mostChoices)
    const hasRoom = this.#list.length > 0 && this.#list.length < mostChoices
    this.#unaskedReply = hasRoom ? reply : null
  }

  get length(): number {
    return this.#list.length
  }

  at(index: number): Choice | undefined {
    return this.#list[index]
  }

  /** Units: -1 where there is none. */
  indexOf(suggestionId: string | null): number {
    return this.#list.findIndex((choice) => choice.suggestionId === suggestionId)
  }

  has(text: string | null): boolean {
    return this.#list.some((choice) => choice.text === text)
  }

  add(choice: Choice): void {
    this.#list.push(choice)
  }

  /** The neighbour of one, or the model's reply where its own choice comes next; it is handed out once. */
  beside(index: number, step: 1 | -1): { index: number } | { reply: string } {
    const reply = this.#unaskedReply
    const next = index + step
    if (next < this.#list.length || reply === null)
      return { index: (next + this.#list.length) % this.#list.length }
    this.#unaskedReply = null
    return { reply }
  }

  /** Null where one stands alone. */
  placeOf(index: number, isMaking: boolean): SuggestionPlace | null {
    const count = this.#list.length + (this.#unaskedReply !== null || isMaking ? 1 : 0)
    return count > 1 ? { number: index + 1, count, isMaking } : null
  }
}
