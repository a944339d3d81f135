import { ToolName, toolTraits } from '../../../shared/domain/session/tool-name.ts'

/** So often the same call, or the same pair of calls, is a loop. Source: `docs/decisions/sessions.md`, Tools. */
const loopLength = 3

/** Notices when a model makes the same call again and again, or goes back and forth between two. */
export class LoopGuard {
  #signatures: string[] = []

  /** A new message: what was done before it does not count. */
  begin(): void {
    this.#signatures = []
  }

  /** True where this call makes it a loop; then the count starts anew, since the user is asked. */
  isLoop(name: string, args: string): boolean {
    const tool = ToolName.safeParse(name).data
    if (tool !== undefined && toolTraits[tool].polls === true) return false
    this.#signatures = [...this.#signatures, `${name} ${args}`].slice(-2 * loopLength)
    const isFound = repeats(this.#signatures, 1) || repeats(this.#signatures, 2)
    if (isFound) this.begin()
    return isFound
  }
}

/** True where the end is `loopLength` times the same stretch of `size`. */
function repeats(signatures: readonly string[], size: number): boolean {
  const end = signatures.slice(-size * loopLength)
  return end.length === size * loopLength && end.every((signature, index) => signature === end[index % size])
}
