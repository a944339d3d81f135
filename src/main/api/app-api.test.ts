import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call, stream } from '../../shared/contract/method.ts'
import type { Shell } from '../deps.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import { createHostApi, createLateApi } from './app-api.ts'

const contract = {
  'note.read': call(z.object({ id: z.string() }), z.object({ text: z.string() })),
  'note.watch': stream(z.object({ id: z.string() }), z.string()),
}
const { signal } = new AbortController()

it('loads nothing before it is called, and passes calls and streams on', async () => {
  let loads = 0
  const api = createLateApi(contract, async () => {
    loads += 1
    return {
      'note.read': async ({ id }) => ({ text: `text of ${id}` }),
      async *'note.watch'({ id }) {
        yield `${id} 1`
        yield `${id} 2`
      },
    }
  })
  expect(loads).toBe(0)
  expect(await api['note.read']({ id: 'a' }, { signal })).toEqual({ text: 'text of a' })
  expect(await Array.fromAsync(api['note.watch']({ id: 'b' }, { signal }))).toEqual(['b 1', 'b 2'])
})

it('tells each call and each stream why it cannot be loaded', async () => {
  const api = createLateApi(contract, () => Promise.reject(new Error('no prompts')))
  await expect(api['note.read']({ id: 'a' }, { signal })).rejects.toThrow('no prompts')
  await expect(Array.fromAsync(api['note.watch']({ id: 'a' }, { signal }))).rejects.toThrow('no prompts')
})

it('ends the stream that it passes on when it is left', async () => {
  let isEnded = false
  const api = createLateApi(contract, async () => ({
    'note.read': async () => ({ text: '' }),
    async *'note.watch'() {
      try {
        while (true) yield 'again'
      } finally {
        isEnded = true
      }
    },
  }))
  for await (const event of api['note.watch']({ id: 'a' }, { signal })) {
    expect(event).toBe('again')
    break
  }
  expect(isEnded).toBe(true)
})

describe('host api', () => {
  function apiOver(shell: Pick<Shell, 'pick'>) {
    return createHostApi({
      state: {} as Parameters<typeof createHostApi>[0]['state'],
      heardLanguage: () => undefined,
      expectWindow: () => undefined,
      settings: {} as SettingsService,
      shell: shell as Shell,
    })
  }
  const { signal } = new AbortController()

  describe('folder.pick', () => {
    it('asks in the dialog of the host and tells what was picked, or that nothing was', async () => {
      const asked: unknown[] = []
      const answers = ['/w/rain', null]
      const api = apiOver({
        async pick(...question) {
          asked.push(question)
          return answers.shift() ?? null
        },
      })
      expect(await api['folder.pick']({ purpose: 'open-work' }, { signal })).toEqual({ path: '/w/rain' })
      expect(
        await api['folder.pick']({ purpose: 'export-project', defaultPath: 'a.json' }, { signal }),
      ).toEqual({ path: null })
      expect(asked).toEqual([
        ['open-work', undefined],
        ['export-project', 'a.json'],
      ])
    })

    it('is no method of a host without one', async () => {
      await expect(apiOver({})['folder.pick']({ purpose: 'open-work' }, { signal })).rejects.toMatchObject({
        info: { code: 'rpc/unknown-method', method: 'folder.pick' },
      })
    })
  })
})
