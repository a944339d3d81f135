import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock, Random } from '../../../src/main/deps.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { createSessionStore, type SessionStore } from '../../../src/main/store/session-store.ts'
import { createStore, openStore, openStoreParts, type Store } from '../../../src/main/store/store.ts'

const empty = new Map<string | undefined, Buffer>()

/** The bytes of a store that nothing was written to, but for the key of a passed trial of the sandbox. */
function emptyStore(trialKey: string | undefined): Buffer {
  const known = empty.get(trialKey)
  if (known !== undefined) return known
  const folder = mkdtempSync(join(tmpdir(), 'tsugi-empty-store-'))
  const path = join(folder, 'tsugi.db')
  const store = openStore(path, { clock: systemClock, random: systemRandom })
  if (trialKey !== undefined) store.settings.set('sandbox-passed', trialKey)
  store.close()
  const made = readFileSync(path)
  empty.set(trialKey, made)
  rmSync(folder, { recursive: true })
  return made
}

/** Puts an empty store where there is none: making its tables takes ten times as long, and waits for the disk. */
export function placeEmptyStore(path: string, trialKey?: string): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, emptyStore(trialKey), { mode: 0o600 })
}

/** A real store at a path, empty where there was none. */
export function openTestStore(
  path: string,
  deps: { clock: Clock; random: Random } = { clock: systemClock, random: systemRandom },
): WholeStore {
  placeEmptyStore(path)
  return openWholeStore(path, deps)
}

/** A store with the repositories of sessions loaded. */
export type WholeStore = Store & SessionStore

export function openWholeStore(path: string, deps: Parameters<typeof openStore>[1]): WholeStore {
  const parts = openStoreParts(path, deps)
  return { ...createStore(parts, deps.clock), ...createSessionStore(parts) }
}
