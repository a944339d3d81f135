import type { SuggestionPlace, SuggestionSource } from '../../shared/domain/session/suggestion.ts'

const mostChoices = 3

/** One of the suggestions after a turn. `isTold`: it was shown, and is in the record. */
type Choice = { suggestionId: string; text: string; source: SuggestionSource; isTold: boolean }

/** The suggestions after one turn, best first; the model's own comes last, and only on request. */
export class SuggestionChoices {
  #list: Choice[] = []
  #unaskedReply: string | null = null

  /** Sets the choices; of equal texts the first counts. `reply`: for the model to suggest one more; null: never. */
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

  /** Returns the index of a suggestion; -1 where there is none. */
  indexOf(suggestionId: string | null): number {
    return this.#list.findIndex((choice) => choice.suggestionId === suggestionId)
  }

  has(text: string | null): boolean {
    return this.#list.some((choice) => choice.text === text)
  }

  add(choice: Choice): void {
    this.#list.push(choice)
  }

  /** Returns the neighbour of a choice, or, once, the model's reply where its own choice comes next. */
  beside(index: number, step: 1 | -1): { index: number } | { reply: string } {
    const reply = this.#unaskedReply
    const next = index + step
    if (next < this.#list.length || reply === null)
      return { index: (next + this.#list.length) % this.#list.length }
    this.#unaskedReply = null
    return { reply }
  }

  /** Returns the place of a choice among all; null where it is the only one. */
  placeOf(index: number, isMaking: boolean): SuggestionPlace | null {
    const count = this.#list.length + (this.#unaskedReply !== null || isMaking ? 1 : 0)
    return count > 1 ? { number: index + 1, count, isMaking } : null
  }
}
