import type { PreparedCall } from '../../../src/main/tools/prepared-call.ts'
import { isAppError } from '../../../src/shared/errors.ts'
import { type GateRig, gateRig } from './gate-rig.ts'

export const fileLines = 'one\ntwo\nthree\nfour\nfive\n'

/** Calls as the tools prepare them; all must touch the world. */
export async function preparedCalls(rig: GateRig, ...calls: [string, unknown][]): Promise<PreparedCall[]> {
  const read = await rig.tools.prepare(...calls)
  return read.map((call) => {
    if (call.kind !== 'world') throw new Error(call.kind === 'invalid' ? call.reason : 'no world call')
    return call.call
  })
}

/** A file that the session has read, as edits need it. */
export async function knownFile(rig: GateRig, path: string, text: string): Promise<void> {
  rig.tools.write(path, text)
  await rig.tools.run('read_file', { path })
}

export function writeCall(path: string, content: string): [string, unknown] {
  return ['write_file', { path, content, reason: 'because' }]
}

/** One call and the gate over it. */
export type GatedCall = { rig: GateRig; call: PreparedCall; gateId: string }

/** A gate over `a.txt`, whose first and last line would change. */
export async function gatedWrite(options: Parameters<typeof gateRig>[0] = {}): Promise<GatedCall> {
  const text = fileLines.replace('one', 'ONE').replace('five', 'FIVE')
  return gatedCall(await gateRig(options), ...writeCall('a.txt', text))
}

/** A gate over `a.txt`, one word of which would change. */
export async function gatedEdit(): Promise<GatedCall> {
  return gatedCall(await gateRig(), 'edit', {
    path: 'a.txt',
    old_text: 'one',
    new_text: 'ONE',
    reason: 'because',
  })
}

export async function gatedCall(rig: GateRig, name: string, args: unknown): Promise<GatedCall> {
  await knownFile(rig, 'a.txt', fileLines)
  const [call] = await preparedCalls(rig, [name, args])
  if (call === undefined) throw new Error('no call')
  const { gates } = await rig.gates.ask(rig.context, [call], 'the decision')
  return { rig, call, gateId: gates[0]?.gateId ?? '' }
}

export function codeOf(error: unknown): string {
  return isAppError(error) ? error.info.code : String(error)
}

/** The code that an answer fails with. */
export function failure(answer: Promise<unknown>): Promise<string> {
  return answer.then(() => 'answered', codeOf)
}
