import { expect, it } from 'vitest'
import type { HostEvent } from '../../shared/domain/app/host-info.ts'
import type { Deps, Shell } from '../deps.ts'
import { createHostState, hostInfo } from './host-state.ts'

const shell = { kind: 'electron', pick: async () => null, notify: () => undefined } as unknown as Shell
const options = { version: '1', openPath: '/first' }

function rig() {
  const logged: string[] = []
  const deps = {
    shell,
    dataDir: '/data',
    hostId: 'h',
    locale: 'ja',
    log: {
      write: (_: string, event: string) => void logged.push(event),
      bug: (error: unknown) => void logged.push(String(error)),
    },
  } as unknown as Deps
  return { deps, logged, state: createHostState(deps, options) }
}

it('keeps events for the first window, tells later ones to all, and opens the last path that was handed over', async () => {
  const { state, logged } = rig()
  const left: string[] = []
  const noteLeft = async (sets: readonly { id: string }[]) => void left.push(...sets.map(({ id }) => id))
  await state.recovered([], [], noteLeft)
  expect(logged).toEqual([])
  const done = { id: 'whole', conflicts: [], waiting: [] }
  await state.recovered([done, { ...done, id: 'partly', conflicts: ['b.txt'] }], ['/w/a.txt'], noteLeft)
  expect(left).toEqual(['partly'])
  expect(logged).toEqual(['host.recovered'])
  const seen: HostEvent[] = []
  const watching = (async () => {
    for await (const event of state.watch(new AbortController().signal)) seen.push(event)
  })()
  await Promise.resolve()
  state.handOver('/second')
  state.closing()
  state.end()
  await watching
  expect(seen).toEqual([
    { type: 'recovered', documents: ['/w/a.txt'], changeSets: 2 },
    { type: 'open-path', path: '/second' },
    { type: 'closing' },
  ])
  expect(state.info()).toMatchObject({ openPath: '/second', damage: null, hasNativePicker: true })
})

it('logs a failure of work in the background, which no window waits for', async () => {
  const { state, logged } = rig()
  state.inBackground([Promise.resolve(), Promise.reject(new Error('full'))])
  await new Promise((done) => setTimeout(done, 0))
  expect(logged).toEqual(['Error: full'])
})

it('offers neither dialogs nor notices while the database is damaged', () => {
  const damage = { path: '/data/tsugi.db', reason: 'torn', backups: [] }
  expect(hostInfo(rig().deps, options, { openPath: null, damage })).toMatchObject({
    hasNativePicker: false,
    hasNotices: false,
    damage,
  })
})
