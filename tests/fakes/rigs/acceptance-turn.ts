import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AgentState } from '../../../src/shared/domain/session/agent-state.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { openTestStore } from '../disks/test-store.ts'
import { manualClock } from '../manual-clock.ts'
import { seededRandom } from '../seeded-random.ts'
import { type PlayedSpeculation, sessionId } from './acceptance-rig.ts'
import { changeSetRig } from './change-set-rig.ts'

/** An edit, a new file in a new folder, a move and a deletion; one name is written apart from its marks. */
const files: PlayedSpeculation['files'] = {
  'a.txt': ['a old\n', 'a new\n'],
  'new/b.txt': [null, 'b new\n'],
  'c.txt': ['c\n', null],
  'moved.txt': [null, 'c\n'],
  ['が.txt'.normalize('NFD')]: ['古い\n', '新しい\n'],
  'd.txt': ['d\n', null],
}
export const speculationOfKill: PlayedSpeculation = { files }

export const before = Object.values(files).map(([old]) => old)
export const after = Object.values(files).map(([, now]) => now)

/** Fifty files: those above, and some that a command changed, made, made executable or built in an ignored folder. */
export const speculationOfCommand: PlayedSpeculation = commandChanges(50 - Object.keys(files).length)

function commandChanges(count: number): PlayedSpeculation {
  const played = {
    files: { ...files },
    modes: {} as Record<string, number>,
    ignored: {} as Record<string, string>,
  }
  for (let at = 0; at < count; at += 1) {
    const name = `${at}.txt`
    if (at % 4 === 0) played.files[`formatted/${name}`] = [`old ${at}\n`, `new ${at}\n`]
    if (at % 4 === 1) {
      played.files[`made/${name}`] = [null, `made ${at}\n`]
      played.modes[`made/${name}`] = 0o755
    }
    if (at % 4 === 2) {
      played.files[`same/${name}`] = [`same ${at}\n`, `same ${at}\n`]
      played.modes[`same/${name}`] = 0o755
    }
    if (at % 4 === 3) {
      played.files[`build/${name}`] = [at % 8 === 3 ? null : `built before ${at}\n`, `built ${at}\n`]
      played.ignored[`build/${name}`] = 'build'
    }
  }
  return played
}

/** A folder with the files as they were before. */
export function folderBefore(played: PlayedSpeculation = speculationOfKill): string {
  const root = tempFolder()
  mkdirSync(root, { recursive: true })
  for (const [path, [old]] of Object.entries(played.files)) {
    if (old === null) continue
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), old)
    chmodSync(join(root, path), 0o644)
  }
  return root
}

/** The text of each file, with its permission bits where a command changed those. */
export function filesNow(
  root: string,
  { files, modes = {} }: PlayedSpeculation = speculationOfKill,
): (string | null)[] {
  return Object.keys(files).map((path) => {
    const place = join(root, path)
    if (!existsSync(place)) return null
    const mode = path in modes ? `${(statSync(place).mode & 0o7777).toString(8)} ` : ''
    return mode + readFileSync(place, 'utf8')
  })
}

/** The results of `filesNow` for a folder before and after the acceptance. */
export function textsOf({
  files,
  modes = {},
}: PlayedSpeculation): Record<'before' | 'after', (string | null)[]> {
  const said = (path: string, text: string | null, bits: number): string | null =>
    text === null || !(path in modes) ? text : `${bits.toString(8)} ${text}`
  const all = Object.entries(files)
  return {
    before: all.map(([path, [old]]) => said(path, old, 0o644)),
    after: all.map(([path, [, now]]) => said(path, now, modes[path] ?? 0)),
  }
}

/**
 * Reads the session from the store.
 *
 * Errors: where its parts contradict each other, or the app would not accept the state.
 */
export function sessionNow(dataDir: string): { turn: number; changes: string[] } | null {
  const store = openTestStore(join(dataDir, 'tsugi.db'), {
    clock: manualClock(),
    random: { next: seededRandom(1), id: () => '' },
  })
  try {
    const { sessions } = store
    const [work] = store.works.recent()
    if (work === undefined) return null
    const { turn, epoch, lastSeq, state } = sessions.get(sessionId)
    AgentState.parse(state)
    const items = sessions.allItems(sessionId)
    const entries = sessions.entries(sessionId, epoch)
    const changes = sessions.changesSince(sessionId, 1)
    const parts = {
      items: Math.max(...items.map((item) => item.turn)),
      lastItem: (items.at(-1)?.seq ?? 0) <= lastSeq,
      entries: Math.max(...entries.map((entry) => entry.turn)),
      start:
        sessions.turnStart(sessionId, turn) !== undefined &&
        sessions.turnStart(sessionId, turn + 1) === undefined,
      changes: changes.length,
    }
    const whole = { items: turn, lastItem: true, entries: turn, start: true, changes: turn - 1 }
    if (JSON.stringify(parts) !== JSON.stringify(whole))
      throw new Error(`turn ${turn}, but ${JSON.stringify(parts)}`)
    return { turn, changes }
  } finally {
    store.close()
  }
}

/** Recovers as a new host does. Shape: how many change sets were open, and the errors of those that failed. */
export async function recovered(dataDir: string): Promise<{ count: number; troubles: unknown[] }> {
  const { changeSets, store } = changeSetRig(dataDir)
  try {
    const results = await changeSets.recover()
    return {
      count: results.length,
      troubles: results.flatMap(({ conflicts, waiting }) => [...conflicts, ...waiting]),
    }
  } finally {
    store.close()
  }
}
