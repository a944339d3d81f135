import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { approve, calls, noCalls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, type OpenRoom, type RoomOptions } from '../support/session-test.ts'
import type { Visit } from './novel-views.ts'
import { viewTexts } from './view-texts.ts'

type Opens = (options: RoomOptions) => Promise<OpenRoom>

const path = 'src/date.mjs'
const before = `// Dates
export function isLeap(year) {
  return year % 4 === 0
}

export function days(year) {
  return isLeap(year) ? 366 : 365
}

export function weeks(year) {
  return days(year) / 7
}
`
const rule = 'year % 4 === 0'
const fullRule = 'year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)'
const weeks = 'days(year) / 7'
const wholeWeeks = 'Math.floor(days(year) / 7)'
const after = before.replace(rule, fullRule).replace(weeks, wholeWeeks)
const files = {
  [path]: before,
  'test/date.test.mjs':
    'import { isLeap } from "../src/date.mjs"\nif (isLeap(1900)) throw new Error("1900")\n',
  'package.json': '{ "name": "parser", "type": "module" }\n',
  'README.md': '# parser\n',
  '.gitignore': 'build/\n',
  'build/date.js': '',
}

/** Leads one window through the views of a session. */
export async function walkSession(openRoom: Opens, language: Language, visit: Visit): Promise<void> {
  const texts = viewTexts[language]
  const t = createTranslate(language)
  const { rationale } = texts
  const decides = (step: 'PLANNING' | 'EXECUTION') => workIn(step, { rationale })
  const reply = (say: string): Thought[] => [{ decide: { rationale } }, { say }]
  const change = (from: string, to: string): Thought[] => [
    decides('PLANNING'),
    calls(['read_file', { path }]),
    plan(texts.step),
    decides('EXECUTION'),
    calls(['edit', { path, old_text: from, new_text: to, reason: texts.reason }]),
    { say: texts.done },
    approve,
  ]
  const { room, client, mind, root } = await openRoom({
    files,
    suggestions: [],
    thoughts: [
      workIn('PLANNING', {
        rationale,
        state_delta: {
          goal: texts.goal,
          why_now: null,
          constraints: [texts.constraint],
          plan_brief: null,
          open_questions: null,
          summary: texts.goal,
        },
      }),
      calls(['read_file', { path }]),
      calls(['grep', { pattern: 'isLeap' }]),
      plan(texts.step),
      decides('EXECUTION'),
      calls(
        ['edit', { path, old_text: rule, new_text: fullRule, reason: texts.reason }],
        ['edit', { path, old_text: weeks, new_text: wholeWeeks, reason: texts.reason }],
      ),
      calls([
        'run_command',
        { line: 'sleep 4; node test/date.test.mjs && echo "14 passed"', reason: texts.runReason },
      ]),
      { say: texts.done },
      approve,
    ],
  })
  const { page } = room
  const box = page.locator('.message-box .cm-content')
  const gate = page.locator('.gate-open')
  const say = async (text: string) => {
    await box.click()
    await page.keyboard.insertText(text)
    await page.keyboard.press('Enter')
  }
  const answer = async () => {
    await expect(gate.locator('.gate-buttons [aria-disabled=false]').first()).toBeVisible()
    await gate.locator('.gate-buttons button').first().click()
  }
  const rest = () => expect(page.getByRole('button', { name: t('action.stop') })).toHaveCount(0)
  await client['settings.update']({ patch: { language } })
  await expect(page.getByRole('complementary', { name: t('session.side') })).toBeVisible()
  await expect(page.getByText(t('session.fit.able', { name: 'smol' }))).toBeVisible()
  const tree = page.getByRole('navigation', { name: t('files.label') })
  const showIgnored = tree.getByRole('button', { name: t('files.showIgnored') })
  await showIgnored.click()
  await expect(tree.getByRole('button', { name: 'build', exact: true })).toBeVisible()
  await showIgnored.click()
  await expect(tree.getByRole('button', { name: 'build', exact: true })).toHaveCount(0)
  await visit('session-empty')

  await say(texts.edit)
  await expect(gate).toContainText(path)
  await expect(gate.locator('.gate-buttons [aria-disabled=false]').first()).toBeVisible()
  await visit('gate')
  await answer()
  await expect(gate).toContainText('14 passed')
  await visit('gate-command')
  await answer()
  await expect(page.locator('.call-running')).toBeVisible()
  await visit('session-running')
  await expect(page.locator('.conversation')).toContainText(texts.done)
  await rest()
  await visit('session-done')
  await page.locator('.turn-outcome-line').click()
  await page
    .getByRole('article')
    .filter({ hasText: path })
    .filter({ hasText: '+2 −2' })
    .getByRole('button')
    .click()
  await expect(page.locator('.call-diff')).toContainText('Math.floor')
  await visit('session-steps')
  await page.locator('.turn-outcome-line').click()

  mind.think(decides('PLANNING'), calls(['ask_user', { question: texts.question, options: texts.options }]))
  await say(texts.askMore)
  await expect(page.locator('.question-card')).toBeVisible()
  await visit('question')
  mind.think(noCalls, ...reply(texts.answered))
  await page.getByRole('button', { name: texts.options[1] ?? '' }).click()
  await expect(page.locator('.conversation')).toContainText(texts.answered)

  mind.think(
    decides('PLANNING'),
    calls(['read_file', { path }]),
    plan(texts.cleanReason),
    decides('EXECUTION'),
    calls(['run_command', { line: 'rm -rf build dist', reason: texts.cleanReason }]),
    { say: texts.cleaned },
    approve,
  )
  await say(texts.clean)
  await expect(gate).toContainText('rm -rf')
  await expect(gate.locator('.gate-buttons [aria-disabled=false]').first()).toBeVisible()
  await visit('gate-high-risk')
  await answer()
  await expect(page.locator('.conversation')).toContainText(texts.cleaned)
  await rest()

  for (const tab of ['sent', 'audit', 'course'] as const) {
    const one = page.getByRole('tab', { name: t(`session.tab.${tab}`), exact: true })
    await one.click()
    await visit(`session-${tab}`)
  }

  await page.keyboard.press('Control+,')
  await page
    .getByRole('dialog')
    .getByRole('tab', { name: t('settings.rules'), exact: true })
    .click()
  await expect(page.getByRole('dialog')).toContainText(t('sandbox.title'))
  await visit('settings-sandbox')
  await page.keyboard.press('Escape')

  await client['settings.update']({ patch: { enableFollowupSuggestions: true, enableSpeculation: true } })
  mind.suggest(texts.suggestion)
  mind.think(...reply(texts.answered), ...change('? 366 : 365', '? 366 : 364'))
  await say(texts.askMore)
  await expect(page.locator('.cm-ghost')).toHaveText(texts.suggestion)
  await expect(page.getByRole('button', { name: /^Tab / })).toContainText('1')
  await visit('work-ahead')
  await writeFile(join(root, path), after.replace('? 366 : 365', '? 366 : 363'))
  await box.click()
  await page.keyboard.press('Tab')
  await expect(page.locator('.speculation-conflict')).toBeVisible()
  await visit('conflict')
  await page.locator('.speculation-actions button').last().click()
  await box.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await client['settings.update']({ patch: { enableFollowupSuggestions: false, enableSpeculation: false } })

  mind.think(
    { decide: { rationale } },
    { text: ['a', 'b', 'c', 'd'], fault: { name: 'cut-in-text', afterDeltas: 2 } },
  )
  mind.think(
    { decide: { rationale } },
    { text: ['a', 'b', 'c', 'd'], fault: { name: 'cut-in-text', afterDeltas: 2 } },
  )
  mind.think(
    { decide: { rationale } },
    { text: ['a', 'b', 'c', 'd'], fault: { name: 'cut-in-text', afterDeltas: 2 } },
  )
  await say(texts.fail)
  await expect(page.locator('.error-card')).toBeVisible()
  await rest()
  await visit('session-error')
}
