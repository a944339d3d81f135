import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './platform/files/disk.ts'
import type { SessionGroup } from './session-group.ts'
import type { SessionPartsInput } from './session-parts.ts'

/** Sessions and what belongs to them, loaded when something first needs them. */
export type LateSessions = {
  /** Errors: what a broken installation throws; the next call tries again. */
  load(): Promise<SessionGroup>
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

export function createLateSessions(input: SessionPartsInput): LateSessions {
  let loading: Promise<SessionGroup> | undefined

  async function make(): Promise<SessionGroup> {
    const { createSessionGroup } = await import('./session-group.ts')
    return createSessionGroup(input)
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
    async removeLeftovers() {
      const { dataDir } = input.deps
      const names = await Promise.all(leftoverFolders.map((name) => namesIn(join(dataDir, name))))
      if (names.flat().length > 0) await (await load()).removeLeftovers()
    },
    async close() {
      // What failed to load was told to whoever asked for it.
      const group = await loading?.catch(() => undefined)
      await group?.close()
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
