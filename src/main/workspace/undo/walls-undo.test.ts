/** Undo where another kind of entry has taken the place of a file. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  makeSpecial,
  outsideText,
  specialKinds,
  specialSources,
} from '../../../../tests/fakes/disks/special-file.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { undoStage } from '../../../../tests/fakes/rigs/undo-stage.ts'

type Stage = ReturnType<typeof undoStage>

const turns: Record<string, (stage: Stage) => Promise<string[]>> = {
  'a write': async ({ assistant }) => [await assistant.write('d/a', 'm1\nu2\n')],
  permissions: async ({ assistant }) => [await assistant.setMode('d/a', 0o755)],
  'a removal and a new file': async ({ assistant }) => [
    await assistant.remove('d/a'),
    await assistant.write('d/a', 'm1\n'),
  ],
  'a move to its name': async ({ assistant }) => [
    await assistant.remove('d/a'),
    await assistant.move('d/b', 'd/a'),
  ],
}

/** Describes the entry at a path without following a link. */
function shown(path: string): string {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`
  const names = stats.isDirectory() ? readdirSync(path).join() : ''
  return `${stats.mode} ${stats.size} ${stats.ino} ${names}`
}

describe.skipIf(process.platform === 'win32')('an undo', () => {
  it.each(Object.keys(turns))(
    'of %s leaves what the user put there, and touches nothing outside',
    async (turn) => {
      const outside = tempFolder()
      const sources = specialSources(outside)
      for (const kind of specialKinds) {
        const stage = undoStage({ 'd/a': 'u1\nu2\n', 'd/b': 'u3\n', 'd/c': 'u4\n' })
        onTestFinished(stage.close)
        const ids = (await turns[turn]?.(stage)) ?? []
        renameSync(stage.at('d/a'), stage.at('d/mine'))
        makeSpecial(kind, stage.at('d/a'), sources)
        const before = shown(stage.at('d/a'))
        const isFile = lstatSync(stage.at('d/a')).isFile()
        await stage.undo(ids)
        // A regular file counts as written by the user; other tests cover the merging of lines.
        if (!isFile) expect(shown(stage.at('d/a')), kind).toBe(before)
        expect(readFileSync(stage.at('d/c'), 'utf8'), kind).toBe('u4\n')
        expect(lstatSync(stage.at('d/mine')).isFile(), kind).toBe(true)
        expect(readFileSync(sources.secret, 'utf8'), kind).toBe(outsideText)
        expect(readdirSync(outside).sort(), kind).toEqual(['pipe', 'secret.json', 'socket'])
      }
    },
  )
})
