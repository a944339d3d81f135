/** A secret of the folder under another name, read by every reading tool and by references in a message. */
import { linkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import { calls, justAnswer, noCalls, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

const context: CallContext = { signal: new AbortController().signal }
const secret = 'HARD-LINK-SECRET'

async function host(...thoughts: Thought[]): Promise<SessionHost> {
  const files = {
    'deep/.env': `KEY=${secret}\n`,
    'open.txt': 'KEY=open\n',
    'src/x.ts': 'x\n',
    'src/sub/y.ts': 'y\n',
  }
  const whole = [workIn('EXECUTION'), ...thoughts, noCalls, ...justAnswer('Done.')]
  const session = await scriptedHost(whole, { files })
  for (const name of ['plain.txt', 'src/config.ts']) {
    linkSync(join(session.root, 'deep/.env'), join(session.root, name))
  }
  linkSync(join(session.root, 'open.txt'), join(session.root, 'twice.txt'))
  return session
}

/** Everything that went to the model's server. */
const sent = (session: SessionHost): string =>
  JSON.stringify(session.llama.requests.filter(({ method }) => method === 'POST').map(({ body }) => body))

it.each([
  ['read_file', { path: 'plain.txt' }],
  ['read_file', { path: 'src/config.ts' }],
  ['grep', { pattern: 'KEY', path: 'plain.txt' }],
  ['run_command', { line: 'cat plain.txt', folder: '.', reason: 'to see' }],
  ['run_command', { line: 'grep -r KEY src', folder: '.', reason: 'to see' }],
  ['run_command', { line: 'rg KEY', folder: '.', reason: 'to see' }],
])('%s %j is asked about as a secret', async (tool, args) => {
  const session = await host(calls([tool, args]))
  await session.say('Look.')
  await session.rest()
  expect(sent(session)).not.toContain(secret)
  const gate = await session.gate()
  expect(gate?.gate.calls[0]).toMatchObject({
    tool,
    risk: { level: 'high', reasons: expect.arrayContaining([expect.objectContaining({ code: 'secret' })]) },
  })
  expect(session.bugs).toEqual([])
})

it('searches and lists run without a question, and show nothing of it', async () => {
  const session = await host(
    calls(
      ['grep', { pattern: 'KEY', path: '.' }],
      ['grep', { pattern: 'KEY', path: 'src' }],
      ['grep', { pattern: 'KEY', glob: '*.txt' }],
      ['glob', { pattern: '**/*' }],
      ['list_directory', { path: '.' }],
      ['read_file', { path: 'twice.txt' }],
      ['read_file', { path: 'src/sub/../config.ts' }],
      ['edit', { path: 'plain.txt', old_text: 'KEY=?', new_text: 'KEY=1', reason: 'to see its lines' }],
    ),
  )
  await session.say('Look.')
  await session.rest()
  expect(await session.gate()).toBeUndefined()
  const told = sent(session)
  expect(told).toContain('KEY=open')
  expect(told).not.toContain(secret)
  expect(session.bugs).toEqual([])
})

it('a message that names it is not sent before it is allowed', async () => {
  const session = await host()
  const { app, sessionId } = session
  const segments = [{ kind: 'text' as const, text: 'see @plain.txt and @src/ and @twice.txt' }]
  const send = (references?: { allowSecrets: string[] }) => {
    const message = { sessionId, segments, how: 'send' as const, gate: null }
    return app.api['session.send']({ ...message, ...(references && { references }) }, context)
  }
  await expect(send()).rejects.toMatchObject({ info: { code: 'reference/secret' } })
  await send({ allowSecrets: [] })
  await session.rest()
  const told = sent(session)
  expect(told).toContain('KEY=open')
  expect(told).not.toContain(secret)
})
