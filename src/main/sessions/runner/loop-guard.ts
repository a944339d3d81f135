import { ToolName, toolTraits } from '../../../shared/domain/session/tool-name.ts'

/** Identical calls (or call pairs) before we report a loop. Source: `docs/decisions/sessions.md`, Tools. */
const loopLength = 3

/** Notices when a model makes the same call again and again, or goes back and forth between two. */
export class LoopGuard {
  #signatures: string[] = []

  begin(): void {
    this.#signatures = []
  }

  /** Returns true where this call completes a loop; then the count restarts, since the user is asked. */
  isLoop(name: string, args: string): boolean {
    const tool = ToolName.safeParse(name).data
    if (tool !== undefined && toolTraits[tool].polls === true) return false
    this.#signatures = [...this.#signatures, `${name} ${args}`].slice(-2 * loopLength)
    const isFound = repeats(this.#signatures, 1) || repeats(this.#signatures, 2)
    if (isFound) this.begin()
    return isFound
  }
}

/** True where the list ends with `loopLength` repetitions of the same `size` signatures. */
function repeats(signatures: readonly string[], size: number): boolean {
  const end = signatures.slice(-size * loopLength)
  return end.length === size * loopLength && end.every((signature, index) => signature === end[index % size])
}
