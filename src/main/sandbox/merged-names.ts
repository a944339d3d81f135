import { spawn } from 'node:child_process'
import type { Wall } from './wall.ts'

const script = 'exec xargs -0 sh -c \'find "$@" -mindepth 1 -maxdepth 1 -print0\' names'

/**
 * Lists folders of a run's merged view, once its command has ended.
 *
 * Shape: by folder, the names that are shown in it. Errors: where the view cannot be mounted any more.
 */
export async function namesInMerged(
  merged: Wall,
  folders: readonly string[],
): Promise<Map<string, Set<string>>> {
  const listed = new Map<string, Set<string>>(folders.map((folder) => [folder, new Set()]))
  const output = await outputOf(merged, folders.map((folder) => `./${folder}\0`).join(''))
  for (const path of output.split('\0')) {
    const at = path.lastIndexOf('/')
    if (at > 0) listed.get(path.slice(2, at))?.add(path.slice(at + 1))
  }
  return listed
}

function outputOf(merged: Wall, input: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(merged.program, [...merged.args, 'sh', '-c', script], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const [chunks, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  child.once('error', reject)
  child.once('close', (code) => {
    if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'))
    else
      reject(new Error(`merged view: exit ${code}: ${Buffer.concat(errors).toString('utf8').slice(0, 300)}`))
  })
  // The program may end before it has read all.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return promise
}
