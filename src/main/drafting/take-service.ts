import type { Run } from '../../shared/domain/drafting/run.ts'
import type { Take, TakeRecord } from '../../shared/domain/drafting/take.ts'
import { isAppError } from '../../shared/errors.ts'
import { type Broadcast, createBroadcast } from '../platform/broadcast.ts'
import type { TakeRepository } from '../store/take-repository.ts'

/** What the author decides about a take. */
type TakeDecision = { state?: Take['state'] | undefined; acceptedLength?: number | undefined }

/** The takes of all works: stored, and sent to every window. */
export type TakeService = {
  list: TakeRepository['list']
  /** Errors: `take/not-found`. */
  get(takeId: string): TakeRecord
  add(record: TakeRecord): void
  /** Errors: `take/not-found`. */
  update(takeId: string, change: Partial<Omit<Take, 'takeId' | 'workId'>>): Take
  /** Errors: `take/not-found`. */
  decide(takeId: string, decision: TakeDecision): Take
  /** Stores the present place of an offered take. Errors: `take/not-found`. */
  place(takeId: string, place: { from: number; position: number }): void
  movePath(workId: string, from: string, to: string): void
  /** Keeps the text of runs that a crash interrupted in their takes; a run without text has no take. */
  keepInterrupted(runs: readonly Run[]): void
  watch(workId: string, signal: AbortSignal): AsyncGenerator<{ take: Take }, void, void>
}

export function createTakeService(takes: TakeRepository): TakeService {
  const changes: Broadcast<Take> = createBroadcast()
  const tell = (take: Take): Take => {
    changes.send(take)
    return take
  }
  const update: TakeService['update'] = (takeId, change) => tell(takes.update(takeId, change))
  return {
    list: takes.list,
    get: takes.get,
    add(record) {
      takes.add(record)
      tell(record.take)
    },
    update,
    decide(takeId, { state, acceptedLength }) {
      return update(takeId, {
        ...(state === undefined ? {} : { state }),
        ...(acceptedLength === undefined ? {} : { acceptedLength }),
      })
    },
    place: (takeId, { from, position }) => void update(takeId, { position, placeFrom: from }),
    movePath: takes.movePath,
    keepInterrupted(runs) {
      for (const run of runs) {
        try {
          const { take } = takes.get(run.takeId)
          // The run's record is written rarely: a take that has more text, or its end, is the newer of the two.
          if (take.stopReason === null && take.text.length < run.text.length)
            update(run.takeId, { text: run.text })
        } catch (error) {
          if (!isAppError(error, 'take/not-found')) throw error
        }
      }
    },
    watch: (workId, signal) => ofWork(workId, changes.subscribe(signal)),
  }
}

async function* ofWork(
  workId: string,
  takes: AsyncIterable<Take>,
): AsyncGenerator<{ take: Take }, void, void> {
  for await (const take of takes) if (take.workId === workId) yield { take }
}
