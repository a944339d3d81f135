import { isAppError } from '../../shared/errors.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

type Reading = Pick<ToolOperations, 'read'>

/** Files with a folder's instructions to assistants. Source: agents.md; Claude Code's memory file. */
const instructionFiles = ['AGENTS.md', 'CLAUDE.md']
/** Longer instructions would leave no room for the work. Units: bytes. */
const limitInstructionBytes = 32_000
const limitReadBytes = 5_000_000

/** Returns the project's own instructions; null where there are none. `isFree`: what may be read without a question. */
export async function projectInstructions(
  operations: Reading,
  decode: (bytes: Uint8Array, path: string) => string,
  isFree: (path: string) => boolean,
): Promise<string | null> {
  const parts: string[] = []
  for (const path of instructionFiles) {
    const { text = '' } = (await readIn(operations, path, limitInstructionBytes, decode, isFree)) ?? {}
    if (text.trim() !== '' && !parts.includes(text)) parts.push(text)
  }
  return parts.length === 0 ? null : parts.join('\n\n')
}

/** Returns lines of a file, numbered as by `read_file`, and its hash; null where the lines no longer exist. */
export async function readNumberedLines(
  operations: Reading,
  { path, from, to }: { path: string; from: number; to: number },
  decode: (bytes: Uint8Array, path: string) => string,
): Promise<{ text: string; hash: string } | null> {
  const read = await readIn(operations, path, limitReadBytes, decode, (real) => real === path)
  if (read === null) return null
  const lines = read.text.split('\n').slice(from - 1, to)
  const text = lines.map((line, index) => `${from + index}\t${line}`).join('\n')
  return lines.length === 0 ? null : { text, hash: read.hash }
}

/** Reads a file; null for one that is gone, too long, closed to us, or no text. */
async function readIn(
  operations: Reading,
  path: string,
  limitBytes: number,
  decode: (bytes: Uint8Array, path: string) => string,
  isFree: (path: string) => boolean,
): Promise<{ text: string; hash: string } | null> {
  try {
    const { path: real, bytes, hash } = await operations.read(path, limitBytes)
    return isFree(real) ? { text: decode(bytes, path), hash } : null
  } catch (error) {
    if (isAppError(error)) return null
    throw error
  }
}
