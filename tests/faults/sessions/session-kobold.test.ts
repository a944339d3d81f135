/** Faults of a KoboldCpp server during a session, whose decisions and calls are constrained by a grammar. */
import { readdirSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import type { ErrorInfo } from '../../../src/shared/errors.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { type FakeKobold, type KoboldFaults, startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { openTestApp, type SessionPlayer } from '../../fakes/sessions/session-host.ts'
import { storedSession } from '../../fakes/sessions/stored-session.ts'

const said = '猫が見た。それから眠った。'
const patient = { connectMs: 30_000, firstTokenMs: 30_000, idleMs: 30_000 }
/** Timeouts for faults in which the server is silent; other tests need longer ones on a busy machine. */
const impatient = { ...patient, firstTokenMs: 1_500, idleMs: 1_000 }
const faults: [name: string, faults: KoboldFaults, code: ErrorInfo['code'] | null][] = [
  ['a stream that is cut', { cutAfterTokens: 3 }, 'model/cut'],
  ['no answer at all', { hangAfterTokens: 0 }, 'model/timeout'],
  ['silence in mid-answer', { hangAfterTokens: 3 }, 'model/timeout'],
  ['events that are no JSON', { isGarbage: true }, 'model/bad-response'],
  ['counts that are dropped', { dropsCounts: true }, 'tokens/unreachable'],
  ['lost characters', { losesCharacters: '猫' }, null],
  ['a stream that never closes', { neverCloses: true }, null],
]

describe('a KoboldCpp server under a session', () => {
  for (const [name, given, code] of faults) {
    it(`${name}: is told, the files are untouched, the next message goes on`, async () => {
      const { kobold, player, dataDir } = await play()
      if (code === 'model/timeout') await player.setTimeouts(impatient)
      kobold.faults = given
      await player.say('Look at the cat.')
      const state = await player.rest()
      await player.setTimeouts(patient)
      expect(errorCodes(await player.items())).toEqual(code === null ? [] : [code])
      if (code !== null)
        expect(state.position).toEqual({
          step: 'PLANNING',
          status: 'REQUIRES_USER_INPUT',
          waiting: 'none',
        })
      await goesOn(player, kobold, dataDir)
    })
  }

  it('a reply that is cut keeps what was said', async () => {
    const { kobold, player, dataDir } = await play()
    // Free text comes after the decision, which a grammar holds.
    kobold.options.answer = () => {
      kobold.faults = { cutAfterTokens: 3 }
      return said
    }
    await player.say('Look at the cat.')
    await player.rest()
    const items = await player.items()
    const failed = items.flatMap((item) =>
      item.kind === 'answer' && item.state === 'failed' ? [item.text] : [],
    )
    expect(failed.length).toBeGreaterThan(0)
    for (const text of failed) expect([text.length > 0, said.startsWith(text)]).toEqual([true, true])
    expect(errorCodes(items)).toContain('model/cut')
    kobold.options.answer = said
    await goesOn(player, kobold, dataDir)
  })

  it('a server that dies is told, and one at its address is used again', async () => {
    const { kobold, player, dataDir } = await play()
    kobold.faults = { diesAfterTokens: 3 }
    await player.say('Look at the cat.')
    await player.rest()
    const codes = errorCodes(await player.items())
    expect(codes.length).toBeGreaterThan(0)
    for (const code of codes) expect(['model/cut', 'model/unreachable', 'tokens/unreachable']).toContain(code)
    const port = Number(new URL(kobold.address).port)
    const again = await startFakeKobold({ contextTokens: 16_384, answer: said, port })
    onTestFinished(() => again.close())
    await goesOn(player, again, dataDir)
  })
})

/** Expects that the session goes on after random decisions: an answer or a question, and no effect without consent. */
async function goesOn(player: SessionPlayer, kobold: FakeKobold, dataDir: string): Promise<void> {
  kobold.faults = {}
  if ((await player.state()).position.waiting !== 'none') await player.stop()
  const before = (await player.items()).length
  await player.say('And now?')
  await player.rest()
  const after = (await player.items()).slice(before)
  expect(errorCodes(after)).toEqual([])
  expect(after.map(({ kind }) => kind)).toContain('decision')
  expect(player.read('a.txt')).toBe('one\n')
  expect(readdirSync(player.root)).toEqual(['a.txt'])
  expect(player.bugs).toEqual([])
  storedSession(dataDir, player.sessionId)
}

/** Returns the codes of errors, except the model's own mistakes, since its text is random here. */
function errorCodes(items: readonly SessionItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'error' && item.error !== null ? [item.error.code] : []))
}

async function play() {
  const dataDir = tempFolder()
  const kobold: FakeKobold = await startFakeKobold({ contextTokens: 16_384, answer: said })
  onTestFinished(() => kobold.close())
  const model = { backend: 'koboldcpp', address: kobold.address } as const
  const opened = await openTestApp({ dataDir, model })
  onTestFinished(() => opened.app.close())
  await opened.setTimeouts(patient)
  const player = await opened.open({ root: tempFolder(), files: { 'a.txt': 'one\n' } })
  return { kobold, dataDir, player }
}
