import { z } from 'zod'
import { TextPlace } from '../../shared/domain/work/work.ts'
import type { WorkRepository } from '../store/work-repository.ts'

type Places = Record<string, TextPlace>

/** The oldest of more are forgotten. */
const limitPlaces = 500
const key = 'text-places'

/** Where the author was in each file of a work, the newest last. */
export function readPlaces(works: Pick<WorkRepository, 'getState'>, workId: string): Places {
  return z.record(z.string(), TextPlace).safeParse(works.getState(workId, key)).data ?? {}
}

export function keepPlace(works: WorkRepository, workId: string, path: string, place: TextPlace): void {
  const { [path]: _before, ...others } = readPlaces(works, workId)
  const kept = [...Object.entries(others).slice(1 - limitPlaces), [path, place] as const]
  works.setState(workId, key, Object.fromEntries(kept))
}

/** The place goes with a file that was renamed. */
export function movePlace(works: WorkRepository, workId: string, path: string, newPath: string): void {
  const { [path]: place, ...others } = readPlaces(works, workId)
  if (place !== undefined) works.setState(workId, key, { ...others, [newPath]: place })
}
