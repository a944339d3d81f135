import type { Take } from '../../shared/domain/take.ts'

/** Puts takes into a list, newest first; one that is there already is replaced. */
export function mergeTakes(list: readonly Take[], added: readonly Take[]): Take[] {
  const byId = new Map(list.map((take) => [take.takeId, take]))
  for (const take of added) byId.set(take.takeId, take)
  return [...byId.values()].sort((a, b) => b.createdAt - a.createdAt || (a.takeId < b.takeId ? 1 : -1))
}

export function takesOf(list: readonly Take[], path: string | null): Take[] {
  return list.filter((take) => take.path === path)
}
