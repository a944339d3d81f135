import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../../../shared/text/json.ts'
import type { Clock, Log } from '../../../deps.ts'
import { errorCode } from '../../../platform/files/disk.ts'
import { readSmallText } from '../../../platform/files/read-regular-file.ts'
import { endGroup, readStat } from './process-group.ts'

/**
 * The process that a note names. Shape: a process id alone may have been reused; with the time the process started, in
 * ticks since a boot, and that boot's id it is certain.
 */
const CommandNote = z.strictObject({
  hostId: z.string(),
  groupId: z.int().min(2),
  startTicks: z.string(),
  bootId: z.string(),
})
type CommandNote = z.infer<typeof CommandNote>

const noteName = /^[0-9a-f]{32}-[0-9]+\.json$/

/**
 * Keeps notes of running commands, for a host that is killed and cannot end them itself.
 *
 * Shape: only Linux says when a process was started; elsewhere nothing is noted and nothing is ended.
 */
export function createLeftoverCommands(deps: {
  clock: Clock
  log: Log
  hostId: string
  /** The data folder. */
  dataDir: string
  graceMs: number
}) {
  const { clock, log, hostId, graceMs } = deps
  const folder = join(deps.dataDir, 'commands')

  const endOne = async (path: string): Promise<boolean> => {
    // Null: the host was killed while it wrote.
    const note = CommandNote.safeParse(parseJson(await readSmallText(path))).data ?? null
    const now = note && identityOf(note.groupId)
    const isOurs = note !== null && now?.startTicks === note.startTicks && now.bootId === note.bootId
    if (isOurs) {
      const end = await endGroup(clock, note.groupId, graceMs)
      log.write('info', 'commands.leftover', { groupId: note.groupId, end })
    }
    await rm(path, { force: true })
    return isOurs
  }

  return {
    /** Notes a group that was just started; returns a function that removes the note. */
    note(groupId: number): () => void {
      const identity = identityOf(groupId)
      if (identity === null) return () => undefined
      const path = join(folder, `${hostId}-${groupId}.json`)
      const note: CommandNote = { hostId, groupId, ...identity }
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(path, JSON.stringify(note), { mode: 0o600 })
      } catch (error) {
        // A full disk is no reason not to run; only a killed host would miss the note.
        log.write('warn', 'commands.no-note', { error })
        return () => undefined
      }
      return () => {
        try {
          rmSync(path, { force: true })
        } catch (error) {
          // The next host finds that the named process is gone.
          log.write('warn', 'commands.note-stays', { error })
        }
      }
    },
    /**
     * Ends commands that hosts have left running; to be called once, while this host owns the data folder.
     *
     * Returns how many groups were ended. Shape: a group is ended only where its leader is certainly the noted one.
     */
    async endAll(): Promise<number> {
      const all = await readdir(folder).catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return []
        throw error
      })
      const names = all.filter((name) => noteName.test(name) && !name.startsWith(`${hostId}-`))
      const ended = await Promise.all(names.map((name) => endOne(join(folder, name))))
      return ended.filter(Boolean).length
    },
  }
}

/** Returns when a process started; null where it is gone, leads no group, or the system does not say. */
function identityOf(groupId: number): { startTicks: string; bootId: string } | null {
  if (process.platform !== 'linux') return null
  try {
    const { group, startTicks } = readStat(readFileSync(`/proc/${groupId}/stat`, 'utf8'))
    if (group !== String(groupId) || startTicks === '') return null
    return { startTicks, bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() }
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(errorCode(error) ?? '')) return null
    throw error
  }
}
