import { expect, it } from 'vitest'
import { UnlistedFolder } from './sandbox/command-sandbox.ts'
import { createSessionCommands, type SessionCommandsDeps } from './session-commands.ts'

it('a command whose folder could not be searched for secrets in time is hindered, and no bug', async () => {
  const sandbox = { begin: () => Promise.reject(new UnlistedFolder()) }
  const deps = { sandbox, noteChange: () => undefined } as unknown as SessionCommandsDeps
  const commands = createSessionCommands(deps)('/w', { id: 's', folders: () => ['/w'] })
  const command = { line: 'make', folder: '/w', timeoutMs: 1_000, isBackground: false, isReadOnly: false }
  const run = commands.execute(
    { ...command, isSandboxed: true },
    () => undefined,
    new AbortController().signal,
  )
  expect(await run).toMatchObject({
    end: 'failed-to-start',
    output: '',
    sandboxed: { takeover: null, hindrance: 'unlisted' },
  })
})
