import { expect, it } from 'vitest'
import { z } from 'zod'
import { call, stream } from '../../shared/contract/method.ts'
import { createLateApi } from './late-api.ts'

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
