import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { overlayRig, write } from '../../../../tests/fakes/rigs/overlay-rig.ts'
import type { CopyEffects } from '../../sandbox/changes/read-copy.ts'
import type { CommandOutcome } from '../../tools/tool-operations.ts'

const nothing: CopyEffects = {
  files: [],
  gone: [],
  folders: [],
  oddFolders: [],
  ignored: new Map(),
  conflicts: [],
  left: [],
}

/** Plays a command in a copy, with these effects, over an overlay that has changed `a.txt`. */
async function played(effects: Partial<CopyEffects>) {
  let removed = 0
  const rig = overlayRig({
    base: (plain) => ({
      ...plain,
      async execute(...given): Promise<CommandOutcome> {
        const remove = async (): Promise<void> => {
          removed += 1
        }
        const copy = { effects: { ...nothing, ...effects }, beganAtNs: 0n, remove }
        return { ...(await plain.execute(...given)), copy }
      },
    }),
  })
  rig.write('a.txt', 'old')
  const overlay = await rig.open()
  await write(overlay.operations, 'a.txt', 'new')
  const command = { line: 'do', folder: '.', timeoutMs: 1_000, isBackground: false, isReadOnly: false }
  const outcome = await overlay.operations.execute(
    { ...command, isSandboxed: true },
    () => undefined,
    new AbortController().signal,
  )
  expect(removed).toBe(1)
  return { outcome, changed: (await overlay.files()).map(({ path }) => path) }
}

describe('a command in a copy', () => {
  it('is kept with what it deleted, and with folders that have something in them', async () => {
    const { outcome, changed } = await played({ gone: ['a.txt'], folders: ['new'] })
    expect(outcome.isLeftOpen).toBeUndefined()
    expect(outcome.kept?.files.map(({ path }) => path)).toEqual(['a.txt'])
    expect(changed).toEqual(['a.txt'])
  })

  it('is left to the session where it made or removed folders that an acceptance would not', async () => {
    const { outcome, changed } = await played({ gone: ['a.txt'], folders: ['empty'], oddFolders: ['empty'] })
    expect(outcome.isLeftOpen).toBe(true)
    expect(outcome.kept).toBeUndefined()
    expect(changed).toEqual(['a.txt'])
  })

  it('is left to the session where it wrote or removed an ignore file, which decides what searches find', async () => {
    const content = fileURLToPath(import.meta.url)
    const file = (path: string) => ({ path, content, mode: 0o644, isModeNew: false, sizeBytes: 1 })
    const kept = async (effects: Partial<CopyEffects>): Promise<boolean> =>
      (await played(effects)).outcome.kept !== undefined
    expect(await kept({ files: [file('.gitignore')] })).toBe(false)
    expect(await kept({ files: [file('.ignore')], ignored: new Map([['.ignore', '.ignore']]) })).toBe(false)
    expect(await kept({ gone: ['sub/.rgignore'] })).toBe(false)
    expect(await kept({ files: [file('sub/.gitignore')], folders: ['other'] })).toBe(false)
    expect(await kept({ files: [file('sub/.gitignore')], folders: ['sub'] })).toBe(true)
    expect(await kept({ files: [file('.git/info/exclude')], folders: ['.git', '.git/info'] })).toBe(false)
    const cache = 'cache/.gitignore'
    expect(await kept({ files: [file(cache)], ignored: new Map([[cache, 'cache']]) })).toBe(true)
  })
})
