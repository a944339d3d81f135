import type {
  SpeculationBoundary,
  SpeculationLinkState,
} from '../../../src/shared/domain/session/speculation.ts'
import { createTranslate } from '../../../src/shared/i18n/translate.ts'
import { speculationOf } from '../../fakes/window-host/speculation-fixtures.ts'
import { shoot } from '../support/shoot.ts'
import { expect, test } from '../window/session-test.ts'
import { GhostPage } from './ghost-page.ts'

const text = 'テストを実行'

test('work ahead that is lost is said, its text is in the box again, and one press runs it again', async ({
  session,
  page,
}) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await page.evaluate(
    (link) => {
      const { speculations } = harness.host
      speculations.become({ ...speculations.state, links: [link] })
    },
    speculationOf(text, { speculationId: 'speculation-1' }),
  )
  await ghost.offer(text)
  await page.keyboard.press('Tab')
  await expect(session.box).not.toContainText(text)
  await page.evaluate((words) => {
    const { speculations } = harness.host
    const ended = { speculationId: 'speculation-1', text: words, reason: 'lost', error: null }
    speculations.become({ ...speculations.state, links: [], ended })
  }, text)
  const strip = page.locator('.speculation-strip')
  await expect(strip).toContainText('会話か方針が変わっています')
  await expect(session.box).toContainText(text)
  await shoot(page, 'ended')
  await strip.getByRole('button').first().click()
  await expect.poll(() => page.evaluate(() => harness.host.speculations.said.at(-1)?.kind)).toBe('rerun')

  // What was left alone is named in the conversation, and opens with both of its texts.
  await page.evaluate(() => {
    const { sessions } = harness.host
    const notice = { kind: 'left-alone' as const, changeSetId: 'set', paths: ['src/app.ts'] }
    const place = { itemId: 'left', seq: 9_000, turn: 1, at: 0 }
    for (const one of sessions.list().sessions)
      sessions.put(one.sessionId, { ...place, kind: 'notice', notice })
  })
  await page.getByRole('button', { name: '見比べる…' }).click()
  const dialog = page.getByRole('dialog', { name: 'そのまま残したファイル' })
  await expect(dialog).toContainText('theirs')
  await expect(dialog).toContainText('ours')
  await shoot(page, 'left')
  await dialog.getByRole('button', { name: 'この内容を書き込む…' }).click()
  await expect(page.locator('.apply-path')).toHaveValue('src/app.ts')
})

test('work ahead that a rule forbids, or that finds no room on the disk, says so where it stands, its text is in the box again, and one press runs it again', async ({
  session,
  page,
}) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  const become = (is: Pick<SpeculationLinkState, 'attempts' | 'failure'>) =>
    page.evaluate(
      (link) => {
        const { speculations } = harness.host
        speculations.become({ ...speculations.state, links: [link] })
      },
      speculationOf(text, { speculationId: 'speculation-1', ...is }),
    )
  await become({ attempts: 0, failure: null })
  await ghost.offer(text)
  await page.keyboard.press('Tab')
  await expect(session.box).not.toContainText(text)
  await become({ attempts: 1, failure: { code: 'speculation/denied', denial: 'rule', detail: 'deny edit' } })
  const strip = page.locator('.speculation-strip')
  await expect(strip).toContainText('deny edit')
  await expect(session.box).toContainText(text)
  await become({ attempts: 1, failure: { code: 'file/disk-full', path: 'src/app.ts' } })
  await expect(strip).toContainText('ディスクに空きがな')
  await expect(session.box).toContainText(text)
  await strip.getByRole('button').nth(1).click()
  await expect.poll(() => page.evaluate(() => harness.host.speculations.said.at(-1)?.kind)).toBe('rerun')
})

test('work ahead that failed, or stopped, says why, with the press that changes it', async ({
  session,
  page,
}) => {
  const t = createTranslate('ja')
  const ghost = new GhostPage(session)
  await ghost.open()
  const strip = page.locator('.speculation-strip')
  const rerun = strip.getByRole('button', { name: t('speculation.rerun'), exact: true })
  const said = () => page.evaluate(() => harness.host.speculations.said.at(-1))
  await page.evaluate((words) => {
    const { speculations } = harness.host
    const error = { code: 'model/unreachable', address: 'http://127.0.0.1:1' } as const
    const ended = { speculationId: 'failed', text: words, reason: 'failed', error }
    speculations.become({ ...speculations.state, links: [], ended })
  }, text)
  await expect(strip).toContainText(t('speculation.ended.failed'))
  await expect(strip).toContainText('http://127.0.0.1:1')
  await rerun.click()
  await expect.poll(said).toMatchObject({ kind: 'rerun', speculationId: 'failed' })
  for (const kind of ['budget', 'interrupted'] as const) {
    const boundary = { kind, callId: null, title: '' }
    const link = speculationOf(text, { speculationId: kind, phase: 'boundary', onAccept: null, boundary })
    await page.evaluate((stopped) => {
      const { speculations } = harness.host
      speculations.become({ ...speculations.state, links: [stopped], ended: null })
    }, link)
    await expect(strip).toContainText(t(`speculation.boundary.${kind}`))
    await rerun.click()
    await expect.poll(said).toMatchObject({ kind: 'rerun', speculationId: kind })
  }
  await shoot(page, 'ended-interrupted')

  const become = (is: Partial<SpeculationLinkState>) =>
    page.evaluate(
      (link) => {
        const { speculations } = harness.host
        speculations.become({ ...speculations.state, links: [link] })
      },
      speculationOf(text, { speculationId: 'ahead', onAccept: null, ...is }),
    )
  const stopped = (copy: NonNullable<SpeculationBoundary['copy']>) =>
    become({ phase: 'boundary', boundary: { kind: 'gate', callId: 'c', title: 'npm test', copy } })
  const why = strip.getByRole('button', { name: t('speculation.copy.why'), exact: true })
  const turnOn = strip.getByRole('button', { name: t('speculation.copy.turnOn'), exact: true })
  for (const copy of ['asked', 'failed', 'missing', 'off'] as const) {
    await stopped(copy)
    await expect(strip).toContainText(t(`speculation.copy.${copy}`))
    await expect(why).toHaveCount(copy === 'missing' ? 1 : 0)
    await expect(turnOn).toHaveCount(copy === 'off' ? 1 : 0)
  }
  await turnOn.click()
  await expect(session.box).toBeFocused()
  await expect.poll(said).toMatchObject({ kind: 'rerun', speculationId: 'ahead' })
  expect(await session.asked('sandbox.set')).toMatchObject([{ isOn: true }])
  await stopped('missing')
  await why.click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('region', { name: t('sandbox.title'), exact: true })).toContainText(
    t('sandbox.none.system'),
  )
  await page.keyboard.press('Escape')

  // Alt+G leads to a question about files that have changed since, as to a gate.
  await become({ phase: 'accepting', accepting: { step: 'stale', paths: ['README.md'], hasMore: false } })
  await expect(strip).toContainText('README.md')
  await session.box.focus()
  await page.keyboard.press('Alt+g')
  await expect(strip).toBeFocused()
  await shoot(page, 'stale-focused')
})

test('the switch at the suggestion acts where it was chosen, and what keeps work ahead from running is one press away', async ({
  session,
  page,
}) => {
  const t = createTranslate('ja')
  const ghost = new GhostPage(session)
  await ghost.open()
  await ghost.offer(text)
  const onOff = page.getByRole('switch', { name: t('speculation.strip') })
  const dialog = page.getByRole('dialog')
  const status = (words: string) => page.locator('.paused-suggestions', { hasText: words })

  await test.step('for all folders, or for this one where it was chosen here', async () => {
    await expect(onOff).not.toBeChecked()
    await onOff.click()
    await expect(onOff).toBeChecked()
    await expect(session.box).toBeFocused()
    const everywhere = [{ patch: { enableSpeculation: true } }]
    expect(await session.asked('settings.update')).toEqual(everywhere)
    await page.evaluate(() => {
      const { host } = harness
      host.workSettings = { ...host.workSettings, enableSpeculation: false }
      host.topics.workSettings.publish(host.workSettings)
    })
    await expect(onOff).not.toBeChecked()
    await onOff.click()
    await expect(onOff).toBeChecked()
    expect(await session.asked('settings.update')).toEqual(everywhere)
    expect(await session.asked('work.updateSettings')).toMatchObject(everywhere)
  })

  const openSuggestions = async (): Promise<void> => {
    await page.keyboard.press('Control+,')
    await dialog.getByRole('tab', { name: t('settings.suggestions'), exact: true }).click()
  }
  await test.step('a folder that is not trusted: the press leads to where it is trusted', async () => {
    await page.evaluate(() => {
      const { sessions } = harness.host
      sessions.trust = { isTrusted: false, isAsked: true }
      sessions.trustTopic.publish(sessions.trust)
    })
    const words = t('speculation.needs.trust')
    const act = { name: t('speculation.needs.trust.act') }
    const trust = dialog.getByRole('region', { name: t('trust.state'), exact: true })
    await status(words).getByRole('button', act).click()
    await expect(trust).toContainText(t('trust.text'))
    await page.keyboard.press('Escape')
    await openSuggestions()
    await dialog.getByRole('status').filter({ hasText: words }).getByRole('button', act).click()
    await trust.getByRole('button', { name: t('trust.yes') }).click()
    await expect(trust).toContainText(t('trust.is'))
    await page.keyboard.press('Escape')
    await expect(status(words)).toHaveCount(0)
  })
  await test.step('a pause after too few acceptances: the press ends it', async () => {
    const pause = () =>
      page.evaluate(() => {
        const { speculations } = harness.host
        speculations.become({ ...speculations.state, pause: { accepted: 2, finished: 20 } })
      })
    const words = '最近の 20 回のうち、取り込まれたのは 2 回でした'
    const act = { name: t('speculation.resume') }
    await pause()
    await status(words).getByRole('button', act).click()
    await expect(status(words)).toHaveCount(0)
    await pause()
    await expect(status(words)).toBeVisible()
    await openSuggestions()
    const notice = dialog.getByRole('status').filter({ hasText: words })
    await expect(notice).toHaveCount(1)
    await shoot(page, 'paused-settings')
    await notice.getByRole('button', act).click()
    await expect(notice).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(status(words)).toHaveCount(0)
    expect(await session.asked('speculation.resume')).toHaveLength(2)
  })
})
