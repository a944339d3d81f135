/** The user's commands that check each message before it is sent. */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { SubmitHook } from '../../../src/shared/domain/work/work-settings.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

const context: CallContext = { signal: new AbortController().signal }

function hook(name: string, line: string): SubmitHook {
  return { name, line, isOn: true }
}

async function hooked(
  submitHooks: SubmitHook[],
  options: Parameters<typeof scriptedHost>[1] = {},
): Promise<SessionHost> {
  const session = await scriptedHost([{ say: 'Hello.' }], { decideFirst: 'auto', ...options })
  const { workId } = session
  await session.app.api['work.updateSettings']({ workId, patch: { submitHooks } }, context)
  return session
}

async function audit({ app, sessionId }: SessionHost) {
  const { entries } = await app.api['session.audit']({ sessionId, limit: 100 }, context)
  return entries.filter(({ tool }) => tool === 'submit_hook')
}

describe('a hook', () => {
  it('reads the message, lets it pass, and leaves nothing behind', async () => {
    const dataDir = tempFolder()
    mkdirSync(join(dataDir, 'hooks'))
    writeFileSync(join(dataDir, 'hooks', 'left'), 'what a killed host was reading')
    const session = await hooked([hook('notes', 'cp "$TSUGI_MESSAGE_FILE" seen.txt')], { dataDir })
    await session.say('Good morning')
    await session.rest()
    expect(session.read('seen.txt')).toBe('Good morning')
    expect(readdirSync(join(dataDir, 'hooks'))).toEqual([])
    expect(await audit(session)).toMatchObject([
      { verdict: 'granted', subject: 'notes: cp "$TSUGI_MESSAGE_FILE" seen.txt', record: { name: 'notes' } },
    ])
  })

  it('holds a message back with its name and its first words, and nothing of it is sent', async () => {
    const session = await hooked([
      hook('passes', 'true'),
      hook('secrets', 'if grep -q himitsu "$TSUGI_MESSAGE_FILE"; then echo no secrets; exit 1; fi'),
      hook('never', 'touch never.txt'),
    ])
    await expect(session.say('it is himitsu')).rejects.toMatchObject({
      info: { code: 'session/cancelled', reason: 'secrets: no secrets' },
    })
    expect(await session.items()).toEqual([])
    expect(existsSync(join(session.root, 'never.txt'))).toBe(false)
    const [denied] = await audit(session)
    expect(denied).toMatchObject({ verdict: 'denied', reason: 'no secrets', record: null })
    expect(session.llama.requests.some(({ path }) => path.endsWith('/chat/completions'))).toBe(false)
  })

  it('holds a message back where it says nothing, and where it does not end in time', async () => {
    const session = await hooked([hook('silent', 'exit 3')])
    const { workId } = session
    await expect(session.say('a')).rejects.toMatchObject({
      info: { reason: expect.stringMatching(/^silent: ./) },
    })
    const submitHooks = [hook('slow', 'sleep 60')]
    await session.app.api['work.updateSettings']({ workId, patch: { submitHooks } }, context)
    const began = Date.now()
    await expect(session.say('a')).rejects.toMatchObject({
      info: { reason: expect.stringMatching(/^slow: .*5/) },
    })
    expect(Date.now() - began).toBeLessThan(30_000)
  })

  it.each([
    ['removes it', 'rm "$TSUGI_MESSAGE_FILE"'],
    ['takes it away', 'mv "$TSUGI_MESSAGE_FILE" taken.txt'],
    ['puts a folder in its place', 'rm "$TSUGI_MESSAGE_FILE"; mkdir "$TSUGI_MESSAGE_FILE"'],
    ['takes the folder away', 'rm -r "$(dirname "$TSUGI_MESSAGE_FILE")"'],
    ['closes the folder', 'chmod 0 "$(dirname "$TSUGI_MESSAGE_FILE")"; trap "chmod 700 ." EXIT'],
  ])('has the last word whatever it does to the file: it %s', async (_, line) => {
    const session = await hooked([hook('odd', `${line}; echo no; exit 1`)])
    await expect(session.say('geheim')).rejects.toMatchObject({
      info: { code: 'session/cancelled', reason: 'odd: no' },
    })
    const submitHooks = [hook('odd', line)]
    await session.app.api['work.updateSettings']({ workId: session.workId, patch: { submitHooks } }, context)
    await session.say('hello').catch((error: unknown) => {
      expect(error).toMatchObject({ info: { code: 'session/cancelled' } })
    })
    await session.rest()
    const sent = JSON.stringify(session.llama.requests)
    expect(sent).not.toContain('geheim')
  })

  it('reads the message as it is sent, whatever the hook before it wrote', async () => {
    const session = await hooked([
      hook('redacts', 'sed -i s/geheim/x/ "$TSUGI_MESSAGE_FILE"'),
      hook('checks', '! grep geheim "$TSUGI_MESSAGE_FILE"'),
    ])
    await expect(session.say('geheim')).rejects.toMatchObject({ info: { reason: 'checks: geheim' } })
  })

  it.each([
    ['a file', (place: string) => writeFileSync(place, '')],
    ['a link to nothing', (place: string) => symlinkSync('/nowhere/hooks', place)],
  ])('holds a message back where %s stands in the place of the messages', async (_, put) => {
    const dataDir = tempFolder()
    put(join(dataDir, 'hooks'))
    const session = await hooked([hook('passes', 'true')], { dataDir })
    for (let time = 0; time < 2; time++)
      await expect(session.say('hello')).rejects.toMatchObject({ info: { code: 'session/cancelled' } })
    rmSync(join(dataDir, 'hooks'))
    await session.say('hello')
    await session.rest()
  })

  it('runs where others left folders among the messages', async () => {
    const dataDir = tempFolder()
    mkdirSync(join(dataDir, 'hooks', 'left', 'deep'), { recursive: true })
    const session = await hooked([hook('closed', 'echo no; exit 1')], { dataDir })
    await expect(session.say('hello')).rejects.toMatchObject({ info: { reason: 'closed: no' } })
  })

  it('does not run without trust, nor while it is off', async () => {
    const line = 'touch ran.txt; exit 1'
    const untrusted = await hooked([hook('a', line)], { isTrusted: false })
    await untrusted.say('hello')
    await untrusted.rest()
    expect(existsSync(join(untrusted.root, 'ran.txt'))).toBe(false)
    const off = await hooked([{ ...hook('a', line), isOn: false }])
    await off.say('hello')
    await off.rest()
    expect(existsSync(join(off.root, 'ran.txt'))).toBe(false)
  })
})
