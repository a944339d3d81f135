import { expect, it } from 'vitest'
import { fixtureRun, fixtureTake } from '../../../../tests/fakes/window-host/fixtures.ts'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import { viewRun } from '../../state/reducers/run-reducer.ts'
import { pendingView } from './pending-view.ts'

it.each([
  ['ja', 'silent', 'まだ返事がありません'],
  ['en', 'silent', 'The server has not answered yet; Esc stops.'],
] as const)(
  'a server that is silent while the context is counted is named, with the way out (%s)',
  (language, hint, words) => {
    const run = fixtureRun({
      ...fixtureTake({ takeId: 'a', placeId: 'a', createdAt: 1, acceptedLength: 0, text: '' }),
      takeId: 'a',
    })
    const view = { ...viewRun({ ...run, phase: 'counting' }), hint }
    const parts = {
      runs: {
        offers: { [run.path]: { takeId: 'a', wish: { path: run.path } } },
        byTake: { a: view },
        endless: null,
      },
      takes: { list: [] },
      connection: { host: null },
    }
    expect(pendingView(parts as never, run.path, createTranslate(language), () => '')?.note).toContain(words)
  },
)

it.each([
  ['ja', '同じ場所の 2 本目'],
  ['en', 'Take 2 of this place'],
] as const)(
  'another take of an offer says which one it is while it is waited for (%s)',
  (language, words) => {
    const first = fixtureTake({
      takeId: 'a',
      placeId: 'a',
      createdAt: 1,
      acceptedLength: 0,
      text: '一つ目。',
    })
    const run = fixtureRun({ ...first, takeId: 'b' })
    const parts = {
      runs: {
        offers: { [run.path]: { takeId: 'b', wish: { path: run.path } } },
        byTake: { b: viewRun(run) },
        endless: null,
      },
      takes: {
        list: [first],
      },
      connection: { host: null },
    }
    const shown = pendingView(parts as never, run.path, createTranslate(language), () => '')
    expect(shown).toMatchObject({ nth: 2, total: 2, phase: 'waiting' })
    expect(shown?.note).toContain(words)
  },
)
