import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { diskWith } from '../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { systemRandom } from '../platform/random.ts'
import type { PromptSubmit } from '../sessions/prompt-submit.ts'
import { type CommandHooksDeps, createCommandHooks } from './command-hooks.ts'

const submit = {
  sessionId: 's1',
  segments: [{ kind: 'text', text: 'Good morning' }],
  folder: { root: '/w' },
  signal: new AbortController().signal,
} as unknown as PromptSubmit

describe('the first two messages of a host', () => {
  it('that are read at once both reach their hooks: neither is taken for a message of an earlier host', async () => {
    const slow = Promise.withResolvers<void>()
    const seen: boolean[] = []
    const run: CommandHooksDeps['commands']['run'] = async ({ environment }) => {
      slow.resolve()
      await new Promise((resolve) => setTimeout(resolve, 20))
      seen.push(existsSync(environment?.TSUGI_MESSAGE_FILE ?? ''))
      return { end: 'exited', exitCode: 0, output: '', failure: null } as never
    }
    const hooks = createCommandHooks({
      commands: { run },
      disk: diskWith({
        async list(folder) {
          // The other message could be written in the meantime.
          await Promise.race([slow.promise, new Promise((resolve) => setTimeout(resolve, 50))])
          return nodeDisk.list(folder)
        },
      }),
      random: systemRandom,
      log: { write: () => undefined, bug: () => '' },
      audit: { passed: () => undefined, stopped: () => undefined } as never,
      loginEnvironment: async () => ({ variables: {} }) as never,
      folder: `${tempFolder()}/hooks`,
      hooksOf: () => [{ name: 'notes', line: 'true', isOn: true }],
      isTrusted: () => true,
      words: () => (key) => key,
    })
    const heard = await Promise.all([hooks.onPromptSubmit(submit), hooks.onPromptSubmit(submit)])
    expect(heard).toEqual([{ kind: 'continue' }, { kind: 'continue' }])
    expect(seen).toEqual([true, true])
  })
})
