import { getEventListeners } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { plainEnvironment } from '../../../../tests/fakes/rigs/command-rig.ts'
import { createShellCheck } from '../shell/create-shell-check.ts'
import { startCommand } from './command-start.ts'
import type { LoginEnvironment } from './login-environment.ts'

const shellCheck = await createShellCheck(fileURLToPath(new URL('../../../../resources/', import.meta.url)))

it('stops at once where the user stops it before a slow login shell is asked', async () => {
  const stop = new AbortController()
  const loginEnvironment = () => new Promise<LoginEnvironment>(() => undefined)
  const run = { ownerId: 's', line: 'true', cwd: tempFolder() }
  const started = startCommand({ loginEnvironment, shellCheck }, run, stop.signal)
  stop.abort(new Error('stopped by the user'))
  await expect(started).rejects.toThrow('stopped by the user')
})

it('leaves nothing at the signal of a session that goes on', async () => {
  const { signal } = new AbortController()
  const loginEnvironment = async () => ({ variables: plainEnvironment, source: 'login' }) as const
  const run = { ownerId: 's', line: 'true', cwd: tempFolder() }
  await startCommand({ loginEnvironment, shellCheck }, run, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
