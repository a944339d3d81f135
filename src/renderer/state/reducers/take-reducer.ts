import type { Take } from '../../../shared/domain/drafting/take.ts'

/** Puts takes into a list, newest first; one that is there already is replaced. */
export function mergeTakes(list: readonly Take[], added: readonly Take[]): Take[] {
  const byId = new Map(list.map((take) => [take.takeId, take]))
  for (const take of added) byId.set(take.takeId, take)
  return [...byId.values()].sort((a, b) => b.createdAt - a.createdAt || (a.takeId < b.takeId ? 1 : -1))
}

/** Returns the takes that the manuscript's panel shows for a file. */
export function takesOf(list: readonly Take[], path: string | null): Take[] {
  return list.filter(({ path: at, mode }) => at === path && mode !== 'idea' && mode !== 'summary')
}

type PlaceTake = Pick<Take, 'takeId' | 'placeId' | 'path' | 'text' | 'acceptedLength' | 'createdAt'>

/** Returns what could stand where `takeId` is offered, oldest first: takes of its place with text, and itself. */
export function takesAtPlace<T extends PlaceTake>(list: readonly T[], takeId: string): T[] {
  const shown = list.find((take) => take.takeId === takeId)
  if (shown === undefined || shown.acceptedLength > 0) return shown === undefined ? [] : [shown]
  return list
    .filter((take) => take.placeId === shown.placeId && take.placeId !== '' && take.path === shown.path)
    .filter((take) => take.takeId === takeId || (take.text !== '' && take.acceptedLength === 0))
    .toSorted((a, b) => a.createdAt - b.createdAt)
}

/**
 * Names takes by their time, newest first as `list` is. Takes whose times read the same are told apart by a number, in
 * the order in which they were made.
 */
export function takeNames<T extends Pick<Take, 'takeId' | 'createdAt'>>(
  list: readonly T[],
  timeText: (at: number) => string,
  numbered: (time: string, nth: number) => string,
): ReadonlyMap<string, string> {
  const sameTime = Map.groupBy(
    list.toSorted((a, b) => a.createdAt - b.createdAt),
    ({ createdAt }) => timeText(createdAt),
  )
  return new Map(
    [...sameTime].flatMap(([time, takes]) =>
      takes.map(
        ({ takeId }, index) => [takeId, takes.length > 1 ? numbered(time, index + 1) : time] as const,
      ),
    ),
  )
}
