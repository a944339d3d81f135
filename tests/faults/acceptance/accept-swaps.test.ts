import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noAnswers } from '../../../src/main/speculation/accept/acceptable-link.ts'
import type { ApplyStep } from '../../../src/main/workspace/apply-change-set.ts'
import { isAppError } from '../../../src/shared/errors.ts'
import { makeSpecial, outsideText, specialKinds, specialSources } from '../../fakes/disks/special-file.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { acceptanceRig } from '../../fakes/rigs/acceptance-rig.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'

const cases = process.env.TSUGI_SOAK ? Number(process.env.TSUGI_CASES ?? 2_000) : 12
const firstSeed = Number(process.env.TSUGI_SEED ?? 1)

/** The changes of the speculation: old and new text by path. */
const files: Record<string, [string | null, string | null]> = {
  'a.txt': ['one', 'two'],
  'd/b.txt': ['b', 'b2'],
  'd/gone.txt': ['gone', null],
  'new/deep/c.txt': [null, 'c'],
  '.env': ['KEY=1', 'KEY=2'],
  'work.json': ['{}', '{"title":"x"}'],
  '.tsugi/rules.json': [null, '{"rules":[]}'],
}
const paths = Object.keys(files)
/** Folders on the way to them are swapped as well. */
const places = [...paths, 'd', 'new', 'new/deep', '.tsugi']
const moments: (ApplyStep | 'before')[] = [
  'before',
  'planned',
  'stored',
  'committed',
  'before-rename',
  'before-delete',
]
/** Without the huge file: it is refused by its size anyway, and takes too long to hash. */
const kinds = specialKinds.filter((kind) => kind !== 'huge')

describe('files that are swapped while a speculation is accepted', () => {
  it(`${cases} swaps lead nothing outside, and every one has an answer`, async () => {
    const steps = new Set<string>()
    for (let seed = firstSeed; seed < firstSeed + cases; seed++) {
      const random = seededRandom(seed)
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
      const [place, moment, kind] = [pick(places), pick(moments), pick(kinds)]
      const said = `seed ${seed}: ${kind} at ${place}, ${moment}`
      const [dataDir, root, outside] = [tempFolder(), tempFolder(), tempFolder()]
      const sources = specialSources(outside)
      for (const [path, [old]] of Object.entries(files)) {
        if (old === null) continue
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), old)
      }
      const before = readdirSync(outside).sort()
      let isSwapped = false
      const swap = (now: string): void => {
        if (isSwapped || now !== moment) return
        isSwapped = true
        rmSync(join(root, place), { recursive: true, force: true })
        makeSpecial(kind, join(root, place), sources)
      }
      const { acceptance, play, into, session, store } = acceptanceRig({ dataDir, root, onStep: swap })
      onTestFinished(() => store.close())
      const link = play({ files })
      swap('before')
      const outcome = await acceptance.accept(link, into, noAnswers).catch((error: unknown) => error)
      const isAnswered = isAppError(outcome) || !(outcome instanceof Error)
      expect(isAnswered, `${said}: ${outcome instanceof Error ? outcome.stack : ''}`).toBe(true)
      expect(readdirSync(outside).sort(), said).toEqual(before)
      expect(readFileSync(sources.secret, 'utf8'), said).toBe(outsideText)
      expect(lstatSync(sources.pipe).isFIFO(), said).toBe(true)
      const isAccepted = !(outcome instanceof Error) && (outcome as { step: string }).step === 'accepted'
      steps.add(isAccepted ? 'accepted' : 'not accepted')
      expect(session.turn, said).toBe(isAccepted ? 2 : 1)
      // Before the commit point nothing was touched.
      const isUntouched = !isAccepted && moment === 'before' && place !== 'a.txt'
      if (isUntouched) expect(readFileSync(join(root, 'a.txt'), 'utf8'), said).toBe('one')
      if (isUntouched && !place.startsWith('new')) expect(existsSync(join(root, 'new')), said).toBe(false)
    }
    expect([...steps].sort()).toEqual(['accepted', 'not accepted'])
  })
})
