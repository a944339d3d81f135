import type { Run } from '../../../shared/domain/drafting/run.ts'
import type { Take, TakeRecord } from '../../../shared/domain/drafting/take.ts'
import { isAppError } from '../../../shared/errors.ts'
import { type Broadcast, createBroadcast } from '../../platform/broadcast.ts'
import type { TakeRepository } from '../../store/works/take-repository.ts'

type TakeDecision = { state?: Take['state'] | undefined; acceptedLength?: number | undefined }

/** The takes of all works: stored, and sent to every window. */
export type TakeService = ReturnType<typeof createTakeService>

export function createTakeService(takes: TakeRepository) {
  const changes: Broadcast<Take> = createBroadcast()
  const tell = (take: Take): Take => {
    changes.send(take)
    return take
  }
  const update: TakeRepository['update'] = (takeId, change) => tell(takes.update(takeId, change))
  return {
    list: takes.list,
    /** Errors: `take/not-found`. */
    get: takes.get,
    add(record: TakeRecord): void {
      takes.add(record)
      tell(record.take)
    },
    /** Errors: `take/not-found`. */
    update,
    /** Errors: `take/not-found`. */
    decide(takeId: string, { state, acceptedLength }: TakeDecision): Take {
      return update(takeId, {
        ...(state === undefined ? {} : { state }),
        ...(acceptedLength === undefined ? {} : { acceptedLength }),
      })
    },
    /** Stores the present place of an offered take. Errors: `take/not-found`. */
    place: (takeId: string, { from, position }: { from: number; position: number }): void =>
      void update(takeId, { position, placeFrom: from }),
    movePath: takes.movePath,
    summaries: takes.summaries,
    /** Keeps the text of runs that a crash interrupted in their takes; a run without text has no take. */
    keepInterrupted(runs: readonly Run[]): void {
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
    watch: (workId: string, signal: AbortSignal): AsyncGenerator<{ take: Take }, void, void> =>
      ofWork(workId, changes.subscribe(signal)),
  }
}

async function* ofWork(workId: string, takes: AsyncIterable<Take>) {
  for await (const take of takes) if (take.workId === workId) yield { take }
}
