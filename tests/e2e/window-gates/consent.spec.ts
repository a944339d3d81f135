import { expect } from '@playwright/test'
import { SandboxPart } from '../../../src/shared/domain/session/sandbox.ts'
import { createTranslate } from '../../../src/shared/i18n/translate.ts'
import { playComposition } from '../support/composition-series.ts'
import { shoot } from '../support/shoot.ts'
import { test } from './gates-test.ts'

test('an untrusted folder says what that means until it is answered', async ({ gates, page }) => {
  await gates.open('untrusted')
  const notice = page.getByRole('status').filter({ hasText: '信頼' })
  await expect(notice).toContainText('コマンドの実行、先回り、AGENTS.md の読み込みは行いません')
  await notice.getByRole('button', { name: '信頼しない' }).click()
  await expect(notice).toHaveText(/信頼していないフォルダーです。コマンドは実行しません。/)
  await notice.getByRole('button', { name: '信頼する' }).click()
  await expect(notice).toHaveCount(0)
  expect(await gates.calls('trust.set')).toEqual([
    { workId: 'work-1', isTrusted: false },
    { workId: 'work-1', isTrusted: true },
  ])
})

test('rules are listed by where they come from, added and removed', async ({ gates, page }) => {
  await gates.open('')
  await page.evaluate(() => parts.store.getState().ui.open({ kind: 'rules' }))
  const dialog = page.getByRole('dialog', { name: '設定' })
  await expect(dialog.getByRole('tab', { name: '承認と信頼' })).toHaveAttribute('aria-selected', 'true')
  const project = dialog.getByRole('region', { name: /^プロジェクトの/ })
  await expect(project).toContainText('db/**')
  await expect(project.getByRole('button')).toHaveCount(0)
  await dialog.getByRole('button', { name: '規則「rm *」を削除' }).click()
  await expect(dialog.getByText('rm *', { exact: true })).toHaveCount(0)

  const form = dialog.getByRole('form', { name: '新しい規則' })
  await form.getByRole('button', { name: '規則を追加' }).click()
  await expect(form).toContainText('パターンを書いてください。')
  await form.getByLabel('動作').selectOption('禁止')
  await form.getByLabel('パターン').fill(' git push * ')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('region', { name: 'このフォルダーで常に' })).toContainText('git push *')
  await expect(form.getByLabel('パターン')).toHaveValue('')
  expect(await gates.calls('rule.save')).toEqual([
    { workId: 'work-1', rule: { effect: 'deny', tool: 'run_command', pattern: 'git push *' } },
  ])
})

test('other folders in which commands run in a copy are listed, and can be turned off', async ({
  gates,
  page,
}) => {
  await gates.open('')
  await page.evaluate(() => parts.store.getState().ui.open({ kind: 'rules' }))
  const dialog = page.getByRole('dialog', { name: '設定' })
  const others = dialog.getByRole('region', { name: 'ほかに写しの中でコマンドを動かすフォルダー' })
  await expect(others.getByRole('listitem')).toHaveText(/other-project/)
  await shoot(page, 'sandbox-folders')
  await others.getByRole('button', { name: 'やめる' }).click()
  await expect(others).toHaveCount(0)
  expect(await gates.calls('sandbox.turnOff')).toEqual([{ folder: '/home/user/other-project' }])
})

test('the settings say why no command runs in a copy, and find it out again', async ({ gates, page }) => {
  await gates.open('')
  await page.evaluate(() => parts.store.getState().ui.open({ kind: 'rules' }))
  const field = (title: string) => page.getByRole('dialog').getByRole('region', { name: title, exact: true })
  for (const language of ['en', 'ja'] as const) {
    const t = createTranslate(language)
    const here = field(t('sandbox.title'))
    const again = here.getByRole('button', { name: t('sandbox.tryAgain') })
    await page.evaluate((name) => parts.store.getState().settings.update({ language: name }), language)
    for (const part of SandboxPart.options) {
      await page.evaluate((failed) => {
        parts.host.sessions.sandbox = { kind: 'none', part: failed, detail: `detail of ${failed}` }
        return parts.store.getState().consent.loadSandbox()
      }, part)
      await expect(here).toContainText(t(`sandbox.none.${part}`))
      await expect(here).toContainText(`detail of ${part}`)
      // Nothing changes the system.
      await expect(again).toHaveCount(part === 'system' ? 0 : 1)
    }
    await shoot(page, `sandbox-none-${language}`)
  }
  await page.evaluate(() => {
    parts.host.sessions.sandbox = { kind: 'ready', version: '0.9', wall: 'w' }
  })
  const here = field('写しの中でのコマンド')
  await here.getByRole('button', { name: 'もう一度試す' }).click()
  await expect(here).toContainText('コマンドは承認のあと、フォルダーそのもので動きます')
  expect((await gates.calls('sandbox.get')).at(-1)).toEqual({ workId: 'work-1', isTriedAgain: true })
  await here.getByRole('button', { name: '写しの中で動かす' }).click()
  await expect.poll(() => gates.calls('sandbox.set')).toEqual([{ workId: 'work-1', isOn: true }])
})

test('an approval of a command says once how it could run in a copy, where a program is missing', async ({
  gates,
  page,
}) => {
  const hint = page.getByText('apt-get install bubblewrap')
  const known = page.getByRole('button', { name: '今後は表示しない' })
  await gates.open('scene=edit')
  await expect(page.getByRole('region', { name: /^承認：/ }).first()).toBeVisible()
  await expect(hint).toHaveCount(0)
  await gates.open('scene=command')
  await expect(hint).toBeVisible()
  await shoot(page, 'sandbox-missing')
  await known.click()
  await expect(hint).toHaveCount(0)
  expect(await gates.calls('settings.update')).toEqual([{ patch: { knowsMissingSandbox: true } }])
})

test('an approval to run a command outside of its copy says why, whatever hindered it there', async ({
  gates,
  page,
}) => {
  const sentences = {
    ja: [
      /ネットワークがありません/,
      /権限が限られて/,
      /秘密のファイルを読めません/,
      /多すぎて/,
      /写しを作れず/,
      /時間内に探し終えられず/,
    ],
    en: [
      /has no network/,
      /fewer permissions/,
      /secret files cannot be read/,
      /changed more .* than/,
      /could not be made/,
      /in time/,
    ],
  }
  for (const [language, patterns] of Object.entries(sentences)) {
    await gates.open(`scene=hindered&language=${language}`)
    await expect(gates.gate.getByRole('note')).toHaveText(patterns)
    await shoot(page, `hindered-${language}`)
  }
})

test('the audit log tells what was decided, by whom, and can be searched', async ({ gates, page }) => {
  await gates.open('side=audit')
  const entries = page.getByRole('list', { name: '承認記録' }).getByRole('listitem')
  await expect(entries).toHaveCount(3)
  await expect(entries.first()).toContainText('規則で禁止')
  await expect(entries.nth(2)).toContainText('規則：npm test *')
  await page.getByRole('searchbox').fill('ＮＰＭ')
  await expect(entries).toHaveCount(2)
  await page.getByLabel('答え').selectOption('自動で許可')
  await expect(entries).toHaveCount(1)
  await page.getByRole('searchbox').fill('rm')
  await expect(page.getByText('一致するものがありません。')).toBeVisible()
})

test('undoing a turn says beforehand what becomes of each file, and does what was chosen', async ({
  gates,
  page,
}) => {
  await gates.open('')
  await page.evaluate(() => parts.store.getState().ui.open({ kind: 'undo-turn', turn: 1 }))
  const dialog = page.getByRole('dialog', { name: 'この依頼から後を元に戻す' })
  const files = dialog.getByRole('region', { name: 'ファイル' }).getByRole('listitem')
  await expect(files).toHaveText([
    'src/date.ts前の中身に戻す',
    'test/date.test.ts削除（ここで作られました）',
    /^README.mdアシスタントの変更だけを戻し、あなたが書いた部分は残します/,
  ])
  await expect(dialog).toContainText('git push')
  await expect(dialog).toContainText('会話から 6 件を取り除きます')
  await dialog.getByRole('radio', { name: 'ファイルだけ' }).check()
  await expect(dialog).not.toContainText('会話から 6 件')
  const undo = dialog.getByRole('button', { name: '元に戻す', exact: true })
  await expect(undo).toBeDisabled()
  // Also in a low window, the reason is in sight beside the button.
  const size = page.viewportSize() ?? { width: 1440, height: 900 }
  await page.setViewportSize({ width: 1100, height: 400 })
  await expect(dialog.getByText('あと 1 か所')).toBeInViewport()
  await expect(undo).toHaveAccessibleDescription('あと 1 か所')
  await shoot(page, 'undo-low-open')
  await page.setViewportSize(size)
  await shoot(page, 'undo-open')
  const sides = files.nth(2).getByRole('radio')
  await sides.nth(0).focus()
  for (const next of [1, 2]) {
    await page.keyboard.press('ArrowRight')
    await expect(sides.nth(next)).toBeFocused()
  }
  await page.keyboard.press('Space')
  await shoot(page, 'undo')
  await undo.click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('元に戻しました。')).toBeVisible()
  const places = [{ index: 1, side: 'both' }]
  expect(await gates.calls('session.undo')).toEqual([
    { sessionId: 'session-1', turn: 1, what: 'files', choices: [{ path: 'README.md', hash: 'h', places }] },
  ])
})

test('a text is applied to a file after its diff was seen, and can be taken back', async ({
  gates,
  page,
}) => {
  await gates.open('')
  await page.evaluate(() =>
    parts.store.getState().ui.open({ kind: 'apply-text', text: '　塔の中は明るかった。\n', path: null }),
  )
  const dialog = page.getByRole('dialog', { name: 'ファイルに書き込む' })
  const write = dialog.getByRole('button', { name: '書き込む' })
  await expect(write).toBeDisabled()
  await expect(dialog.getByLabel('ファイル')).toBeFocused()
  const ime = await page.context().newCDPSession(page)
  await playComposition(page, ime, dialog.getByLabel('ファイル'), 'file')
  await dialog.getByLabel('ファイル').fill('002 時計塔.txt')
  await expect(dialog.locator('del')).toHaveText('　塔の中は暗かった。')
  await expect(dialog.locator('ins')).toHaveText('　塔の中は明るかった。')
  await write.click()
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByText(/を元に戻しました。/)).toBeVisible()
  expect(await gates.calls('session.applyText')).toEqual([
    { workId: 'work-1', path: '002 時計塔.txt', hash: 'hash', text: '　塔の中は明るかった。\n' },
  ])
})

test('a file that is not there yet is said to be new', async ({ gates, page }) => {
  await gates.open('')
  await page.evaluate(() =>
    parts.store.getState().ui.open({ kind: 'apply-text', text: 'a\n', path: 'src/new.ts' }),
  )
  const dialog = page.getByRole('dialog', { name: 'ファイルに書き込む' })
  await expect(dialog).toContainText('新しいファイルになります。')
  await dialog.getByRole('button', { name: '書き込む' }).click()
  await expect(page.getByText('「src/new.ts」に書き込みました。')).toBeVisible()
  expect(await gates.calls('session.applyText')).toMatchObject([{ path: 'src/new.ts', hash: null }])
})
