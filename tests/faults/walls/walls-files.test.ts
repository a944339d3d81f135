/**
 * Entries of any kind in place of a file that the app opens by itself. `TSUGI_SOAK` plays a fourth of its cases here.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRuleService } from '../../../src/main/gates/rules/rule-service.ts'
import { readGgufMetadata } from '../../../src/main/models/embedded/gguf-metadata.ts'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { systemRandom as random } from '../../../src/main/platform/random.ts'
import { projectInstructions } from '../../../src/main/sessions/folder-texts.ts'
import { isAppError } from '../../../src/shared/errors.ts'
import { makeSpecial, outsideText, specialKinds, specialSources } from '../../fakes/disks/special-file.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { toolRig } from '../../fakes/rigs/tool-rig.ts'
import { workRig } from '../../fakes/rigs/work-rig.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { silentLog as log } from '../../fakes/silent-log.ts'
import { wallsSoak } from '../../fakes/walls-soak.ts'

const rounds = wallsSoak > 0 ? Math.round(wallsSoak * 0.25) : 30
const seed = Number(process.env.TSUGI_SEED ?? 1)
/**
 * Maximum time of a single step of the app: longer than the reader waits for a system call. A disk to which other
 * programs write may delay a step for seconds (at most 7.7 for 4,000 folders with a pipe).
 */
const limitMs = 30_000

const ownFiles = [
  'work.json',
  '.tsugi',
  '.tsugi/rules.json',
  'AGENTS.md',
  'CLAUDE.md',
  '.gitignore',
  '.ignore',
  '第一章.txt',
  '資料',
  '資料/人物.txt',
  'project.json',
  'model.gguf',
]

describe('a folder in which anything stands in the place of any own file', () => {
  it(`opens, answers in time, and touches nothing outside (${rounds} folders)`, async () => {
    const roll = seededRandom(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(roll() * list.length)] as T
    const outside = tempFolder()
    const sources = specialSources(outside)
    const { service, store } = workRig()
    const rules = createRuleService({
      disk: nodeDisk,
      log,
      random,
      repository: store.consentRules,
      watcher: { watchFile: () => () => undefined, watchFolder: () => () => undefined },
    })
    const root = join(tempFolder(), 'work')
    const tools = await toolRig({ root })

    for (let round = 0; round < rounds; round += 1) {
      rmSync(root, { recursive: true, force: true })
      mkdirSync(root)
      writeFileSync(join(root, 'a.txt'), '本文')
      const made: string[] = []
      // Every pair of place and kind comes round in order, some more beside it by chance.
      const first = [
        round % ownFiles.length,
        Math.floor(round / ownFiles.length) % specialKinds.length,
      ] as const
      const chosen = [[ownFiles[first[0]], specialKinds[first[1]]] as const]
      while (roll() < 0.4) chosen.push([pick(ownFiles), pick(specialKinds)])
      for (const [path, kind] of chosen) {
        if (path === undefined || kind === undefined) continue
        try {
          makeSpecial(kind, join(root, path), sources)
          made.push(`${kind} as ${path}`)
        } catch (error) {
          // What was made before it stands in its way.
          if (!['EEXIST', 'ENOTDIR', 'ELOOP', 'ENOENT', 'ENAMETOOLONG', 'EISDIR'].includes(codeOf(error)))
            throw error
        }
      }
      const about = `seed ${seed}, round ${round}: ${made.join(', ')}`
      const answers: unknown[] = []
      const step = async (what: string, work: () => Promise<unknown>, mayFail = true): Promise<void> => {
        const answer = await inTime(work(), `${about}: ${what}`)
        if (answer instanceof Error) {
          if (!mayFail || !isAppError(answer)) throw new Error(`${about}: ${what}`, { cause: answer })
          answers.push(answer.info)
        } else answers.push(answer)
      }

      let workId = ''
      await step('open', async () => ({ workId } = await service.open(root)), false)
      const { workFileProblem } = service.get(workId)
      await step('details', () => service.updateDetails(workId, { title: '猫', memo: `${round}` }))
      await step('create', () => service.createFile(workId, pick([...ownFiles, 'new.txt', '資料/新.txt'])))
      await step('rename', () =>
        service.renameFile(workId, pick([...ownFiles, 'a.txt']), pick([...ownFiles, 'b.txt'])),
      )
      await step('remove', () => service.removeFile(workId, pick(ownFiles)))
      await step('rules', () => rules.list(root), false)
      await step('instructions', () => projectInstructions(tools.operations, decode, () => true), false)
      await step('project file', () => service.open(join(root, 'project.json')))
      await step('model file', () => readGgufMetadata(join(root, 'model.gguf')))
      if (workFileProblem !== null) {
        await step('repair', () => service.repairFile(workId), false)
        expect(service.get(workId).workFileProblem, about).toBeNull()
        await step('details after repair', () => service.updateDetails(workId, { title: '直' }), false)
        // Nothing is lost: the former entry is now beside the new file.
        expect(
          readdirSync(root).some((name) => /^work\.broken/.test(name)),
          about,
        ).toBe(true)
      }
      await step('open again', () => service.open(root), false)

      const said = JSON.stringify(answers)
      const isLinked = made.some((what) => what.startsWith('hard link'))
      if (!isLinked) expect(said, about).not.toContain('外の秘密')
      expect(readFileSync(sources.secret, 'utf8'), about).toBe(outsideText)
      expect(readdirSync(outside).sort(), about).toEqual(['pipe', 'secret.json', 'socket'])
      expect(lstatSync(sources.pipe).isFIFO(), about).toBe(true)
    }
    expect(existsSync(root)).toBe(true)
  })
})

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Returns the answer, or the error as a value; throws where neither comes in time. */
async function inTime(work: Promise<unknown>, about: string): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer: ${about}`)), limitMs)
  try {
    return await Promise.race([work.catch((error: unknown) => error), promise])
  } finally {
    clearTimeout(timer)
  }
}
