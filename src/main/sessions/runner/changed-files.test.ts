import { describe, expect, it } from 'vitest'
import { type StageOptions, setStage } from '../../../../tests/fakes/sessions/runner-stage.ts'
import { createChangedFiles } from '../../references/changed-files.ts'
import { ReadLedger } from '../../tools/edits/read-ledger.ts'

/** Creates a session over files in memory: `read` shows one to the model, `write` is a change by the model. */
function setFolder(files: Record<string, string>, more: Partial<StageOptions> = {}) {
  const ledger = new ReadLedger()
  const hashOf = (path: string): string => files[path] ?? ''
  const operations = {
    stamp: async (path: string) => hashOf(path),
    read: async (path: string) => ({ path, bytes: new Uint8Array(), hash: hashOf(path) }),
  }
  const stage = setStage({
    isDirect: true,
    parts: { ledger, changedFiles: createChangedFiles({ operations, ledger }) },
    ...more,
    async run(call, hooks) {
      const path = call.title
      if (call.access === 'write') files[path] = `${path} as the model wrote it`
      if (call.access !== 'execute') ledger.note(path, hashOf(path), { from: 1, to: 1 })
      return (
        (await more.run?.(call, hooks)) ?? { isOk: true, text: `result of ${path}`, view: { kind: 'text' } }
      )
    },
  })
  const asked = (index: number): string[] =>
    (stage.asked[index]?.log ?? []).map(({ kind, text }) => `${kind} ${text}`.trim())
  const notes = (index: number): string[] => asked(index).filter((line) => line.startsWith('note'))
  return { stage, files, ledger, asked, notes }
}

const call = (name: string, ...paths: string[]) => ({ calls: paths.map((args) => ({ name, args })) })

describe('a file that somebody else changes while a turn runs', () => {
  it('is named in the next request of the turn, at its end, once for each change', async () => {
    const { stage, files, asked, notes } = setFolder({ a: 'old', b: 'old' })
    let goOn = (): void => undefined
    const until = new Promise<void>((resolve) => {
      goOn = resolve
    })
    stage.play(call('read', 'a', 'b'), { ...call('read', 'c'), until }, call('read', 'd'), { say: ['Done.'] })
    stage.say('look')
    await expect.poll(() => stage.asked.length).toBe(2)
    Object.assign(files, { a: 'new', b: 'new' })
    goOn()
    await stage.idle()
    expect(stage.asked).toHaveLength(4)
    expect(notes(1)).toEqual([])
    expect(asked(2).slice(-3)).toEqual(['work', 'result result of c', 'note changed a,b'])
    expect(asked(2).slice(0, asked(1).length)).toEqual(asked(1))
    expect(notes(3)).toEqual(['note changed a,b'])
    expect(stage.session.turn).toBe(1)
    Object.assign(files, { a: 'newest' })
    stage.play({ say: ['Yes.'] })
    stage.say('and now?')
    await stage.idle()
    expect(asked(4).slice(-2)).toEqual(['message and now?', 'note changed a'])
    expect(stage.logged).toEqual([])
  })

  it('is not named for what the assistant wrote itself', async () => {
    const { stage, notes } = setFolder({ a: 'old' })
    stage.play(call('read', 'a'), call('write', 'a'), { say: ['Done.'] })
    stage.say('write')
    await stage.idle()
    expect(stage.asked).toHaveLength(3)
    expect(notes(2)).toEqual([])
  })

  it('is not named for what a command of the assistant did, but for what came before and after it', async () => {
    const files: Record<string, string> = { a: 'old', b: 'old', c: 'old' }
    const { stage, notes } = setFolder(files, {
      async run({ access }) {
        if (access === 'execute') Object.assign(files, { a: 'formatted', b: 'formatted' })
        return { isOk: true, text: 'done', view: { kind: 'text' } }
      },
    })
    stage.play(call('read', 'a', 'b', 'c'), call('run', 'format'), call('read', 'c'), { say: ['Done.'] })
    stage.say('format')
    await stage.idle()
    expect(stage.ran).toEqual(['a', 'b', 'c', 'format', 'c'])
    expect(notes(3)).toEqual([])
    Object.assign(files, { b: 'by the user' })
    stage.play(call('run', 'format'), { say: ['Done.'] })
    stage.say('again')
    await stage.idle()
    expect(notes(5)).toEqual(['note changed b'])
    expect(stage.logged).toEqual([])
  })

  it('is not named beside a note that names it as taken back', async () => {
    const { stage, files, notes } = setFolder({ a: 'old', b: 'old', c: 'old' })
    stage.play(call('read', 'c'), call('write', 'a', 'b'), { say: ['Done.'] })
    stage.say('write')
    await stage.idle()
    Object.assign(files, { a: 'old', b: 'old', c: 'new' })
    stage.runner.noteUndo(1, ['a', 'b'])
    stage.play({ say: ['Well.'] }, { say: ['Still.'] })
    stage.say('and now?')
    await stage.idle()
    expect(notes(3)).toEqual(['note undone a,b', 'note changed c'])
    stage.say('and now?')
    await stage.idle()
    expect(notes(4)).toEqual(notes(3))
  })

  it('is named again where the conversation was taken back to before it was', async () => {
    const { stage, files, notes, ledger } = setFolder({ a: 'old' })
    stage.play(call('read', 'a'), { say: ['One.'] }, { say: ['Two.'] }, { say: ['Three.'] })
    stage.say('look')
    await stage.idle()
    Object.assign(files, { a: 'new' })
    stage.say('second')
    await stage.idle()
    expect(notes(2)).toEqual(['note changed a'])
    stage.session.cut(2)
    ledger.unhear()
    stage.runner.forget()
    stage.say('third')
    await stage.idle()
    expect(notes(3)).toEqual(['note changed a'])
  })
})
