import { describe, expect, it } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../deps.ts'
import {
  createPromptSubmits,
  type HookAction,
  type InterceptorAction,
  type PromptSubmit,
  type SubmitInterceptor,
  type SubmitItem,
} from './prompt-submit.ts'

const submit = { signal: new AbortController().signal, segments: [] } as unknown as PromptSubmit

function rig() {
  const bugs: string[] = []
  const asked: string[] = []
  const log: Log = {
    write: () => undefined,
    bug(_, where) {
      bugs.push(where)
      return 'bug'
    },
  }
  const hooks: Parameters<typeof createPromptSubmits>[1][number][] = []
  const interceptors: SubmitInterceptor[] = []
  const submits = createPromptSubmits(log, hooks, interceptors)
  const noted = <A>(name: string, act: () => A) => ({
    name,
    async onPromptSubmit(): Promise<A> {
      asked.push(name)
      return act()
    },
  })
  return {
    submits,
    bugs,
    asked,
    intercept: (name: string, act: () => InterceptorAction) => interceptors.push(noted(name, act)),
    observe: (name: string, act: () => HookAction) => hooks.push(noted(name, act)),
  }
}

const item = (text: string): SubmitItem => ({ item: null, entry: { role: 'user', kind: 'note', text } })
const go = { kind: 'continue' } as const
const cancel = (reason: string) => ({ kind: 'cancel', reason }) as const
const withItems = (...texts: string[]) => ({ kind: 'continueWith', items: texts.map(item) }) as const

describe('what services say before a message is sent', () => {
  it('is heard in the order of registration, and goes with the message in that order', async () => {
    const { submits, intercept, asked } = rig()
    intercept('first', () => withItems('a', 'b'))
    intercept('silent', () => go)
    intercept('last', () => withItems('c'))
    expect(await submits.submit(submit)).toEqual([item('a'), item('b'), item('c')])
    expect(asked).toEqual(['first', 'silent', 'last'])
  })

  it('stops it by the first cancel, and nobody else is asked', async () => {
    const { submits, intercept, asked } = rig()
    intercept('adds', () => withItems('a'))
    intercept('stops', () => cancel('not now'))
    intercept('late', () => withItems('b'))
    const sent = submits.submit(submit)
    await expect(sent).rejects.toMatchObject({ info: { code: 'session/cancelled', reason: 'not now' } })
    expect(asked).toEqual(['adds', 'stops'])
  })

  it('belongs to that message: the next one gets nothing of what was dropped', async () => {
    const { submits, intercept } = rig()
    let round = 0
    intercept('adds', () => withItems(`a${round}`))
    intercept('stops once', () => (round === 0 ? cancel('once') : go))
    await expect(submits.submit(submit)).rejects.toThrow()
    round = 1
    expect(await submits.submit(submit)).toEqual([item('a1')])
    expect(await submits.submit(submit)).toEqual([item('a1')])
  })

  it('cancels where an interceptor throws', async () => {
    const { submits, intercept, bugs } = rig()
    intercept('broken', () => {
      throw new TypeError('a bug')
    })
    const sent = submits.submit(submit)
    await expect(sent).rejects.toMatchObject({ info: { code: 'session/cancelled', reason: 'broken' } })
    expect(bugs).toEqual(['submit broken'])
  })

  it('tells the user what an interceptor has to say', async () => {
    const { submits, intercept, bugs } = rig()
    intercept('asks', () => {
      throw new AppError({ code: 'reference/secret', paths: ['.env'] })
    })
    const asked = { info: { code: 'reference/secret', paths: ['.env'] } }
    await expect(submits.submit(submit)).rejects.toMatchObject(asked)
    expect(bugs).toEqual([])
  })

  it('is cancelled where a hook throws, and where one cancels', async () => {
    const { submits, intercept, observe, bugs, asked } = rig()
    let isBroken = true
    let isClosed = false
    observe('breaks', () => {
      if (isBroken) throw new TypeError('a bug')
      return go
    })
    observe('watches', () => (isClosed ? cancel('closed') : go))
    intercept('adds', () => withItems('a'))
    await expect(submits.submit(submit)).rejects.toMatchObject({
      info: { code: 'session/cancelled', reason: 'breaks' },
    })
    expect(bugs).toEqual(['submit breaks'])
    isBroken = false
    expect(await submits.submit(submit)).toEqual([item('a')])
    isClosed = true
    await expect(submits.submit(submit)).rejects.toMatchObject({
      info: { code: 'session/cancelled', reason: 'closed' },
    })
    expect(asked).toEqual(['breaks', 'breaks', 'watches', 'adds', 'breaks', 'watches'])
  })

  it('is nothing where a hook tries to add something', async () => {
    const { submits, observe } = rig()
    observe('adds', () => withItems('a') as unknown as HookAction)
    expect(await submits.submit(submit)).toEqual([])
  })
})
