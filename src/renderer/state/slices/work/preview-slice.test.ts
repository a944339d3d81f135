import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { fixturePreview, readyModel } from '../../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow, until } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { FitMode } from '../../../../shared/domain/drafting/draft-settings.ts'
import type { RunFigures } from '../../../../shared/domain/drafting/run.ts'
import type { AppStore } from '../../app-store.ts'
import { createBrowserMemory, type WindowMemory } from '../../window-memory.ts'
import { anchorOffer } from './preview-slice.ts'
import { activeRun } from './runs-slice.ts'

const path = '003 逆回転.txt'
const offerOf = (store: AppStore) => store.getState().preview.anchorOffer

/** A window of a work that is longer than the context of its model. */
async function longWork({
  fitMode = 'token_dynamic',
  memory = createBrowserMemory(null),
}: {
  fitMode?: FitMode
  memory?: WindowMemory
} = {}) {
  const host = new FakeHost()
  host.preview = fixturePreview
  host.model = readyModel
  host.settings = { ...host.settings, drafting: { ...host.settings.drafting, fitMode } }
  const opened = await openWindow({ host, memory })
  const { store } = opened
  await until(() => store.getState().models.status.state === 'ready')
  await until(() => store.getState().settings.value.drafting.fitMode === fitMode)
  return opened
}

/** Writes a page of which the model had this share already, and waits until the window has judged it. */
async function page({ host, store }: Awaited<ReturnType<typeof longWork>>, reusedTokens: number | null) {
  await store.getState().runs.start({ path })
  const runId = activeRun(store.getState().runs)?.run.runId ?? ''
  host.runs.write(runId, '雨。')
  host.runs.figures(runId, { promptTokens: 4000, reusedTokens, completionTokens: 500 })
  const asked = host.calls.length
  host.runs.end(runId, 'finished')
  await until(() => activeRun(store.getState().runs) === null && host.calls.length > asked)
  await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('the offer of a held beginning', () => {
  it('comes with the second page in a row that was read again, and is taken by one press', async () => {
    const opened = await longWork()
    const { host, store } = opened
    await page(opened, 3900)
    await page(opened, 100)
    expect(offerOf(store)).toBeNull()
    await page(opened, 300)
    expect(offerOf(store)).toEqual({ readTokens: 3800, anchoredTokens: 1328 })
    store.getState().preview.answerOffer(true)
    expect(offerOf(store)).toBeNull()
    await until(() => host.settings.drafting.fitMode === 'anchored')
  })

  it('comes once for a model, also in the next window', async () => {
    const memory = createBrowserMemory(null)
    const first = await longWork({ memory })
    for (const reused of [100, 100]) await page(first, reused)
    expect(offerOf(first.store)).not.toBeNull()
    first.store.getState().preview.answerOffer(false)
    for (const reused of [100, 100]) await page(first, reused)
    expect(offerOf(first.store)).toBeNull()
    expect(first.host.settings.drafting.fitMode).toBe('token_dynamic')
    const second = await longWork({ memory })
    for (const reused of [100, 100]) await page(second, reused)
    expect(offerOf(second.store)).toBeNull()
  })

  it('judges the pages of one model alone', async () => {
    const opened = await longWork()
    const { host, store } = opened
    await page(opened, 100)
    host.setModel({ ...readyModel, profileId: 'another' })
    await until(() => store.getState().models.status.profileId === 'another')
    await page(opened, 100)
    expect(offerOf(store)).toBeNull()
    await page(opened, 100)
    expect(offerOf(store)).not.toBeNull()
  })

  it.each<[string, FitMode, number | null]>([
    ['nothing is counted', 'token_dynamic', null],
    ['the beginning is held', 'anchored', 100],
    ['the host finds the mode', 'auto', 100],
  ])('does not come where %s', async (_, fitMode, reused) => {
    const opened = await longWork({ fitMode })
    for (let nth = 0; nth < 3; nth += 1) await page(opened, reused)
    expect(offerOf(opened.store)).toBeNull()
  })
})

const pageThatRead = (reusedTokens: number | null): RunFigures => ({
  promptTokens: 4000,
  reusedTokens,
  isReuseEstimated: false,
  completionTokens: 500,
  maxTokens: 500,
  tokensPerSecond: 40,
  elapsedMs: 1000,
})
const preview = {
  ...fixturePreview,
  problem: null,
  keptChars: 4000,
  bodyChars: 12_000,
  tokensByOrigin: { body: 3400, note: 50, tail: 300, suffix: 50, wrapper: 10 },
}
const given = {
  pages: [pageThatRead(100), pageThatRead(300)],
  preview,
  fitMode: 'token_dynamic',
} as const

describe('the offer of a held beginning', () => {
  it('says what two pages read anew, and what they would', () => {
    expect(anchorOffer(given)).toEqual({ readTokens: 3800, anchoredTokens: 900 })
  })

  it.each([
    ['only one page was read anew', { pages: [pageThatRead(3900), pageThatRead(100)] }],
    ['there was only one page', { pages: [pageThatRead(100)] }],
    ['nobody has counted', { pages: [pageThatRead(null), pageThatRead(null)] }],
    ['the whole text fits', { preview: { ...preview, keptChars: 12_000 } }],
    ['the beginning is held already', { fitMode: 'anchored' as const }],
    ['the host finds the mode that suits the server', { fitMode: 'auto' as const }],
    ['the server shifts its cache', { pages: [pageThatRead(3600), pageThatRead(3700)] }],
  ])('is not made where %s', (_, change) => {
    expect(anchorOffer({ ...given, ...change })).toBeNull()
  })
})
