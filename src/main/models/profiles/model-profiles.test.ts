import { describe, expect, it } from 'vitest'
import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { watchedProfiles } from './model-profiles.ts'

function kept() {
  const byId = new Map<string, ModelProfile>()
  return {
    list: () => [...byId.values()],
    get: (profileId: string) => byId.get(profileId),
    save: (profile: ModelProfile) => void byId.set(profile.id, profile),
    remove: (profileId: string) => void byId.delete(profileId),
  }
}
const profile = (id: string, name: string) => ({ id, name }) as ModelProfile

describe('profiles that are watched', () => {
  it('are told to every window, as they are, after each change', async () => {
    const profiles = watchedProfiles(kept())
    profiles.save(profile('a', 'one'))
    const told: string[][][] = [[], []]
    const windows = told.map(async (names) => {
      for await (const list of profiles.watch(new AbortController().signal))
        names.push(list.profiles.map(({ name }) => name))
    })
    await expect.poll(() => told.map(({ length }) => length)).toEqual([1, 1])
    profiles.save(profile('b', 'two'))
    profiles.save(profile('a', 'renamed'))
    profiles.remove('b')
    profiles.end()
    await Promise.all(windows)
    for (const names of told) expect([names[0], names.at(-1)]).toEqual([['one'], ['renamed']])
  })

  it('are left by a window that goes, and are the same list for everyone else', async () => {
    const store = kept()
    const profiles = watchedProfiles(store)
    const gone = new AbortController()
    const told: number[] = []
    const ended = (async () => {
      for await (const list of profiles.watch(gone.signal)) told.push(list.profiles.length)
    })()
    await expect.poll(() => told).toEqual([0])
    gone.abort()
    await ended
    profiles.save(profile('a', 'one'))
    expect(told).toEqual([0])
    expect(profiles.list()).toEqual(store.list())
    expect(profiles.get('a')?.name).toBe('one')
  })
})
