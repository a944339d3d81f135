import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './platform/files/disk.ts'
import type { SessionGroup } from './session-group.ts'
import type { SessionPartsInput } from './session-parts.ts'
import type { UnsentMessages } from './sessions/unsent-messages.ts'
import type { Store } from './store/store.ts'
import type { AppliedChangeSet } from './workspace/apply-change-set.ts'

/** Sessions and what belongs to them, loaded when something first needs them. */
export type LateSessions = {
  /** Errors: what a broken installation throws; the next call tries again. */
  load(): Promise<SessionGroup>
  /** Errors: as `load`. */
  unsent(): Promise<UnsentMessages>
  /** Tells in their sessions which files were left alone when this start carried out what the last one had committed. */
  noteLeftFiles(carriedOut: readonly AppliedChangeSet[]): Promise<void>
  /** Loads where a host that was killed has left something that loading removes. */
  removeLeftovers(): Promise<void>
  /** Also of what is being loaded. */
  close(): Promise<void>
}

/**
 * What hosts can have left in the data folder: notes of running commands and files of runs ahead of one that was killed;
 * images that nothing may name any more.
 */
const leftoverFolders = ['commands', 'overlays', 'images']

export function createLateSessions(
  input: Omit<SessionPartsInput, 'store' | 'unsent'> & { store: Store },
): LateSessions {
  const { clock, random } = input.deps
  let loading: Promise<SessionGroup> | undefined
  let unsent: UnsentMessages | undefined

  async function loadUnsent(): Promise<UnsentMessages> {
    const [{ createUnsentMessages }, { unsentMessages }] = await Promise.all([
      import('./sessions/unsent-messages.ts'),
      input.store.sessionStore(),
    ])
    unsent ??= createUnsentMessages({ clock, repository: unsentMessages })
    return unsent
  }

  async function make(): Promise<SessionGroup> {
    const [{ createSessionGroup }, sessionStore, unsentMessages] = await Promise.all([
      import('./session-group.ts'),
      input.store.sessionStore(),
      loadUnsent(),
    ])
    const store = { ...input.store, ...sessionStore }
    return createSessionGroup({ ...input, store, unsent: unsentMessages })
  }

  function load(): Promise<SessionGroup> {
    loading ??= make().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    load,
    unsent: loadUnsent,
    async noteLeftFiles(carriedOut) {
      if (carriedOut.every(({ conflicts }) => conflicts.length === 0)) return
      const [{ noteLeftFiles }, { sessions }] = await Promise.all([
        import('./sessions/left-files.ts'),
        input.store.sessionStore(),
      ])
      noteLeftFiles({ clock, random, repository: sessions }, carriedOut)
    },
    async removeLeftovers() {
      const { dataDir } = input.deps
      const names = await Promise.all(leftoverFolders.map((name) => namesIn(join(dataDir, name))))
      if (names.flat().length > 0) await (await load()).removeLeftovers()
    },
    async close() {
      // What failed to load was told to whoever asked for it.
      const group = await loading?.catch(() => undefined)
      await group?.close()
      unsent?.close()
    },
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
