import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../src/main/store/store.ts'
import { AgentState } from '../../src/shared/domain/session/agent-state.ts'
import { type Ahead, sessionId } from './acceptance-rig.ts'
import { changeSetRig } from './change-set-rig.ts'
import { manualClock } from './manual-clock.ts'
import { seededRandom } from './seeded-random.ts'
import { tempFolder } from './temp-folder.ts'

/** An edit, a new file in a new folder, a move and a deletion; one name is written apart from its marks. */
const files: Ahead['files'] = {
  'a.txt': ['a old\n', 'a new\n'],
  'new/b.txt': [null, 'b new\n'],
  'c.txt': ['c\n', null],
  'moved.txt': [null, 'c\n'],
  ['が.txt'.normalize('NFD')]: ['古い\n', '新しい\n'],
  'd.txt': ['d\n', null],
}
export const speculationOfKill: Ahead = { files }

export const before = Object.values(files).map(([old]) => old)
export const after = Object.values(files).map(([, now]) => now)

/** A folder with the files as they were before. */
export function folderBefore(): string {
  const root = tempFolder()
  mkdirSync(root, { recursive: true })
  for (const [path, [old]] of Object.entries(files)) if (old !== null) writeFileSync(join(root, path), old)
  return root
}

export function filesNow(root: string): (string | null)[] {
  return Object.keys(files).map((path) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null,
  )
}

/**
 * What is in the store of the session.
 *
 * Errors: where its parts say different things, or the state is none that the app would take.
 */
export function sessionNow(dataDir: string): { turn: number; changes: string[] } | null {
  const store = openStore(join(dataDir, 'tsugi.db'), {
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

/** What a new host carries out. Shape: how many change sets were open, and what of them did not go through. */
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
