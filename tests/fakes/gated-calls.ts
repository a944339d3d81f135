import type { PreparedCall } from '../../src/main/tools/prepared-call.ts'
import { isAppError } from '../../src/shared/errors.ts'
import { type GateBench, gateBench } from './gate-bench.ts'

export const fileLines = 'one\ntwo\nthree\nfour\nfive\n'

/** Calls as the tools prepare them; all must touch the world. */
export async function preparedCalls(
  bench: GateBench,
  ...calls: [string, unknown][]
): Promise<PreparedCall[]> {
  const read = await bench.tools.prepare(...calls)
  return read.map((call) => {
    if (call.kind !== 'world') throw new Error(call.kind === 'invalid' ? call.reason : 'no world call')
    return call.call
  })
}

/** A file that the session has read, as edits need it. */
export async function knownFile(bench: GateBench, path: string, text: string): Promise<void> {
  bench.tools.write(path, text)
  await bench.tools.run('read_file', { path })
}

export function writeCall(path: string, content: string): [string, unknown] {
  return ['write_file', { path, content, reason: 'because' }]
}

/** One call and the gate over it. */
export type GatedCall = { bench: GateBench; call: PreparedCall; gateId: string }

/** A gate over `a.txt`, whose first and last line would change. */
export async function gatedWrite(options: Parameters<typeof gateBench>[0] = {}): Promise<GatedCall> {
  const text = fileLines.replace('one', 'ONE').replace('five', 'FIVE')
  return gatedCall(await gateBench(options), ...writeCall('a.txt', text))
}

/** A gate over `a.txt`, one word of which would change. */
export async function gatedEdit(): Promise<GatedCall> {
  return gatedCall(await gateBench(), 'edit', {
    path: 'a.txt',
    old_text: 'one',
    new_text: 'ONE',
    reason: 'because',
  })
}

export async function gatedCall(bench: GateBench, name: string, args: unknown): Promise<GatedCall> {
  await knownFile(bench, 'a.txt', fileLines)
  const [call] = await preparedCalls(bench, [name, args])
  if (call === undefined) throw new Error('no call')
  const { gates } = await bench.gates.ask(bench.context, [call], 'the decision')
  return { bench, call, gateId: gates[0]?.gateId ?? '' }
}

export function codeOf(error: unknown): string {
  return isAppError(error) ? error.info.code : String(error)
}

/** The code that an answer fails with. */
export function failure(answer: Promise<unknown>): Promise<string> {
  return answer.then(() => 'answered', codeOf)
}
