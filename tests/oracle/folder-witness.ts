import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { GateDiff, GateView } from '../../src/shared/domain/session/gate.ts'

/** Files that the user's programs write as a side effect. */
const generated = /(^|\/)(__pycache__|node_modules|\.pytest_cache)\//

/**
 * Watches a folder from outside: between two checks only files that a gate showed and the user approved may have
 * changed, to exactly the shown content, and only once.
 */
export class FolderWitness {
  /** Changes that were not approved. */
  readonly problems: string[] = []
  readonly #root: string
  readonly #canCommandsWrite: boolean
  #files: Map<string, string>
  readonly #shown = new Map<string, string | null>()
  #isCommandApproved = false

  constructor(root: string, { canCommandsWrite }: { canCommandsWrite: boolean }) {
    this.#root = root
    this.#canCommandsWrite = canCommandsWrite
    this.#files = readFolder(root)
  }

  /** Notes the user's approval of a gate. Shape: `diffs` are those of its files, in the order of its calls. */
  approve({ calls }: GateView, diffs: readonly GateDiff[]): void {
    for (const { command, files } of calls) {
      if (command !== null) this.#isCommandApproved = true
      for (const { path, to } of files) {
        const newText = diffs.findLast((diff) => diff.path === path)?.newText ?? null
        this.#shown.set(path, to === null ? newText : null)
        if (to !== null) this.#shown.set(to, newText)
      }
    }
  }

  look(): void {
    const now = readFolder(this.#root)
    for (const path of new Set([...this.#files.keys(), ...now.keys()])) {
      if (now.get(path) !== this.#files.get(path)) this.#judge(path, now.get(path))
    }
    if (this.#isCommandApproved) this.#isCommandApproved = false
    this.#files = now
  }

  /** Files that were approved and are not as they were shown. */
  notWritten(): string[] {
    return [...this.#shown.keys()]
  }

  #judge(path: string, bytes: string | undefined): void {
    const shown = this.#shown.get(path)
    this.#shown.delete(path)
    if (this.#canCommandsWrite && this.#isCommandApproved) return
    if (shown === undefined) this.problems.push(`${path} changed without consent`)
    else if (textOf(bytes) !== shown) this.problems.push(`${path} is not what was shown`)
  }
}

function readFolder(root: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const name = path
      .slice(root.length + 1)
      .split(sep)
      .join('/')
    if (!generated.test(name)) files.set(name, readFileSync(path, 'latin1'))
  }
  return files
}

/** Returns a text as a gate shows it: decoded, with LF. */
function textOf(bytes: string | undefined): string | null {
  if (bytes === undefined) return null
  const data = Buffer.from(bytes, 'latin1')
  return decoded(data).replaceAll('\r\n', '\n')
}

function decoded(data: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data)
  } catch {
    return new TextDecoder('shift_jis').decode(data)
  }
}
