import type { CommandRun } from './command-types.ts'
import type { CommandEnd, RunningCommand } from './running-command.ts'

/** A started command. Shape: `end` is null while it runs. */
export type ListedCommand = {
  readonly commandId: string
  readonly run: CommandRun
  readonly command: RunningCommand
  readonly startedAt: number
  end: CommandEnd | null
}

/** Number of ended commands whose outputs can still be read, over all owners. */
const keptEnded = 32

/** The commands that can be asked about: all that run, and the last ones that have ended. */
export type CommandList = {
  add(listed: ListedCommand): void
  /** Finds a command of any owner where none is given. */
  find(commandId: string, ownerId?: string): ListedCommand | undefined
  running(): ListedCommand[]
  /** Returns commands, oldest first; those of all owners where none is given. */
  owned(ownerId?: string): ListedCommand[]
  /** Forgets the oldest ended commands above the number that is kept. */
  trim(): void
  /** Forgets an owner's ended commands. */
  forget(ownerId: string): void
}

export function createCommandList(): CommandList {
  const byId = new Map<string, ListedCommand>()
  const all = (): ListedCommand[] => [...byId.values()]
  const remove = (listed: readonly ListedCommand[]): void => {
    for (const { commandId } of listed) byId.delete(commandId)
  }
  return {
    add: (listed) => {
      byId.set(listed.commandId, listed)
    },
    find: (commandId, ownerId) => {
      const found = byId.get(commandId)
      return ownerId === undefined || found?.run.ownerId === ownerId ? found : undefined
    },
    running: () => all().filter(({ end }) => end === null),
    owned: (ownerId) => all().filter(({ run }) => ownerId === undefined || run.ownerId === ownerId),
    trim: () =>
      remove(
        all()
          .filter(({ end }) => end !== null)
          .slice(0, -keptEnded),
      ),
    forget: (ownerId) => remove(all().filter(({ run, end }) => run.ownerId === ownerId && end !== null)),
  }
}
