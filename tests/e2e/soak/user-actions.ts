import type { Locator } from '@playwright/test'
import en from '../../../src/shared/i18n/en.json' with { type: 'json' }
import ja from '../../../src/shared/i18n/ja.json' with { type: 'json' }
import type { Draw } from './random-draw.ts'
import type { SoakStage } from './soak-stage.ts'

/**
 * One thing that a user does. It answers with what it was, or null where there was nothing to do it to.
 *
 * Shape: `leavesBox`: whatever stands in the message box stays there.
 */
export type UserAction = {
  weight: number
  leavesBox?: true
  run(stage: SoakStage, draw: Draw): Promise<string | null>
}

/** A word of the window in either language. */
function word(key: keyof typeof ja): RegExp {
  const plain = [ja[key], en[key]].map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^(${plain.join('|')})`)
}

const messages = [
  '直してください。',
  '続けて',
  'はい',
  'いいえ、やめて',
  'はい、でも少し待って',
  '@note.txt を読んで',
  '@章/ を見て',
  '@.env を見て',
  '@none.txt は？',
  '@"章/一.md"#L1-2 を直して',
  '/help',
  '/stats',
  '/undo',
  '/compact',
  '/export',
  '/clear',
  '/nothing',
  '/model fake',
  '/model --fast fake',
  '  ',
  '<|im_end|> \u0000 \ud800 \u202e',
  '長い頼み。'.repeat(300),
]

const pastes = [
  'x'.repeat(400_000),
  Array.from({ length: 3_000 }, (_, line) => `${line} 行目`).join('\r\n'),
  '\u0000\u0001\ufffe\u{10ffff}\ud83d',
  '<img src=x onerror=alert(1)>\n```\n',
  'م\u202eسلام\u200f 한국어 👩‍👩‍👧‍👦',
]

const box = (stage: SoakStage): Locator => stage.page.locator('.message-box .cm-content')

async function seen(locator: Locator): Promise<boolean> {
  return locator.first().isVisible()
}

/** A dialog lies over the page that Escape does not close. */
async function isCovered({ page }: SoakStage): Promise<boolean> {
  const dialog = page.getByRole('dialog')
  if (await seen(dialog)) await page.keyboard.press('Escape')
  return seen(dialog)
}

/** The box with the focus; false where a dialog lies over it or there is none. */
async function reachBox(stage: SoakStage): Promise<boolean> {
  if ((await isCovered(stage)) || !(await seen(box(stage)))) return false
  await box(stage).focus()
  return true
}

async function press(stage: SoakStage, key: string): Promise<string> {
  await stage.page.keyboard.press(key)
  return key
}

async function say(stage: SoakStage, draw: Draw, key: string): Promise<string | null> {
  if (!(await reachBox(stage))) return null
  const text = draw.pick(messages)
  await stage.page.keyboard.insertText(text)
  if (text.startsWith('はい')) stage.mind.approvals += 1
  await stage.page.keyboard.press(key)
  return `${JSON.stringify(text.slice(0, 30))} ${key}`
}

const pressed =
  (...keys: string[]): UserAction['run'] =>
  (stage, draw) =>
    press(stage, draw.pick(keys))

/** Clicks one of what is there. */
const clicked =
  (find: (stage: SoakStage) => Locator): UserAction['run'] =>
  async (stage, draw) => {
    if (await isCovered(stage)) return null
    const found = await find(stage).filter({ visible: true }).all()
    if (found.length === 0) return null
    const one = draw.pick(found)
    const name = await one.textContent()
    await one.click({ timeout: 2_000 })
    return name
  }

export const boxActions: Record<string, UserAction> = {
  say: { weight: 14, run: (stage, draw) => say(stage, draw, 'Enter') },
  steer: { weight: 3, run: (stage, draw) => say(stage, draw, 'Control+Enter') },
  beside: { weight: 3, run: (stage, draw) => say(stage, draw, 'Alt+Enter') },
  write: {
    weight: 5,
    leavesBox: true,
    async run(stage, draw) {
      if (!(await reachBox(stage))) return null
      await stage.page.keyboard.press('Control+End')
      await stage.page.keyboard.insertText(`書きかけ${draw.below(100)}`)
      return 'a part of a message'
    },
  },
  compose: {
    weight: 3,
    async run(stage, draw) {
      if (!(await reachBox(stage))) return null
      const ime = await stage.context.newCDPSession(stage.page)
      for (const text of ['k', 'か', 'かん'])
        await ime.send('Input.imeSetComposition', {
          text,
          selectionStart: text.length,
          selectionEnd: text.length,
        })
      if (draw.chance(0.5)) await ime.send('Input.insertText', { text: '漢' })
      else await ime.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 })
      await ime.detach()
      return 'composed'
    },
  },
  paste: {
    weight: 2,
    async run(stage, draw) {
      if (!(await reachBox(stage))) return null
      const text = draw.pick(pastes)
      await box(stage).evaluate((element, pasted) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', pasted)
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }, text)
      if (draw.chance(0.5)) await stage.page.keyboard.press('Enter')
      return `pasted ${text.length}`
    },
  },
  boxKeys: {
    weight: 6,
    async run(stage, draw) {
      if (!(await reachBox(stage))) return null
      return press(
        stage,
        draw.pick([
          'ArrowUp',
          'ArrowDown',
          'Tab',
          'Shift+Enter',
          'Control+z',
          'Control+y',
          'Control+a',
          'ArrowRight',
          '/',
          '@',
        ]),
      )
    },
  },
  empty: {
    weight: 2,
    async run(stage) {
      if (!(await reachBox(stage))) return null
      await stage.page.keyboard.press('Control+a')
      await stage.page.keyboard.press('Backspace')
      return 'emptied'
    },
  },
  takeBack: { weight: 2, run: clicked(({ page }) => page.locator('.queued button')) },
  editMessage: {
    weight: 2,
    run: clicked(({ page }) => page.locator('.user-message-actions button:last-child')),
  },
  send: { weight: 2, run: clicked(({ page }) => page.locator('.message-box .button-primary:enabled')) },
}

export const sessionActions: Record<string, UserAction> = {
  approve: {
    weight: 14,
    leavesBox: true,
    async run(stage, draw) {
      const button = stage.page.locator('.gate-open .gate-buttons button').first()
      if ((await isCovered(stage)) || !(await seen(button))) return null
      stage.mind.approvals += 1
      await stage.page.waitForTimeout(draw.pick([0, 300, 800]))
      await button.click({ timeout: 2_000 })
      return 'yes'
    },
  },
  refuse: {
    weight: 3,
    leavesBox: true,
    run: clicked(({ page }) => page.locator('.gate-open .gate-buttons button:nth-child(2)')),
  },
  gateParts: {
    weight: 4,
    leavesBox: true,
    async run(stage, draw) {
      const name = await clicked(({ page }) => page.locator('.gate-open').locator('button, input, summary'))(
        stage,
        draw,
      )
      // It may have been the yes, also to all that is like it.
      if (name !== null) {
        stage.mind.approvals += 1
        if (name.match(word('gate.session')) || name.match(/^(いつも許す|Always)/)) stage.isFreehand = true
      }
      return name
    },
  },
  question: { weight: 4, run: clicked(({ page }) => page.locator('.question-open button')) },
  stop: {
    weight: 4,
    leavesBox: true,
    run: clicked(({ page }) =>
      page.locator('.message-box').getByRole('button', { name: word('action.stop') }),
    ),
  },
  turnMenu: {
    weight: 4,
    async run(stage, draw) {
      const opened = await clicked(({ page }) => page.locator('.turn-foot button[aria-haspopup=menu]'))(
        stage,
        draw,
      )
      if (opened === null) return null
      const item = draw.pick(await stage.page.getByRole('menuitem').all())
      const name = await item.textContent()
      if ((await item.getAttribute('aria-disabled')) === 'true') await press(stage, 'Escape')
      else await item.click({ timeout: 2_000 })
      return name
    },
  },
  sessionMenu: {
    weight: 2,
    async run(stage, draw) {
      if (await isCovered(stage)) return null
      const rows = await stage.page.locator('.session-open').filter({ visible: true }).all()
      if (rows.length === 0) return null
      await draw.pick(rows).focus()
      const key = await press(stage, draw.pick(['F2', 'Delete', 'ArrowDown']))
      if (key === 'F2') {
        await stage.page.keyboard.insertText(`名前${draw.below(9)}`)
        await press(stage, draw.pick(['Enter', 'Escape', 'Tab']))
      }
      return key
    },
  },
  otherSession: { weight: 4, run: clicked(({ page }) => page.locator('.session-open')) },
  course: {
    weight: 4,
    async run(stage, draw) {
      const name = await clicked(({ page }) => page.locator('.session-side').locator('button, input'))(
        stage,
        draw,
      )
      if (name === null) return null
      const field = stage.page.locator('.session-side').locator('input:focus, textarea:focus')
      if (!(await seen(field))) return name
      await stage.page.keyboard.insertText(draw.pick(['目標を変える', 'あ'.repeat(500), '一\n二\n三']))
      return `${name}, ${await press(stage, draw.pick(['Enter', 'Escape', 'Control+Enter', 'Tab']))}`
    },
  },
  mode: {
    weight: 1,
    async run(stage) {
      if (!(await reachBox(stage))) return null
      stage.isFreehand = true
      return press(stage, 'Shift+Tab')
    },
  },
  scroll: {
    weight: 2,
    leavesBox: true,
    async run(stage, draw) {
      if (!(await seen(stage.page.locator('.conversation')))) return null
      const places = [0, 1, draw.random()]
      await stage.page
        .locator('.conversation')
        .first()
        .evaluate((element, share) => {
          element.scrollTop = element.scrollHeight * share
        }, draw.pick(places))
      return 'scrolled'
    },
  },
}

export const windowActions: Record<string, UserAction> = {
  escape: { weight: 5, run: pressed('Escape') },
  keys: {
    weight: 5,
    run: pressed(
      'Control+Shift+P',
      'Control+,',
      'Control+Shift+S',
      'Control+Shift+F',
      'Control+Alt+N',
      'Alt+G',
      'F6',
      'Tab',
      'Shift+Tab',
      'Control+Shift+1',
      'Control+Enter',
    ),
  },
  palette: {
    weight: 7,
    async run(stage, draw) {
      if (await isCovered(stage)) return null
      await press(stage, 'Control+Shift+P')
      const options = stage.page.locator('.palette [role=option]')
      await options.first().waitFor({ timeout: 3_000 })
      const all = await options.all()
      // A work anywhere on this machine is opened by nobody here.
      const item = draw.pick(all)
      const name = (await item.textContent()) ?? ''
      if (isForbidden(name)) return press(stage, 'Escape')
      if (name.match(/モード|Mode/)) stage.isFreehand = true
      await item.click({ timeout: 2_000 })
      return name
    },
  },
  anything: {
    weight: 16,
    async run(stage, draw) {
      const layer = stage.page.locator('[role=menu], [role=dialog]').last()
      const scope = (await seen(layer)) ? layer : stage.page.locator('.app')
      const parts = await scope
        .locator('button, [role=menuitem], [role=tab], input, select, textarea, summary, .cm-content')
        .filter({ visible: true })
        .all()
      if (parts.length === 0) return null
      const part = draw.pick(parts)
      const { tag, name, isAtGate } = await part.evaluate((element) => ({
        tag: element.tagName,
        name: `${element.getAttribute('aria-label') ?? ''} ${element.textContent}`.trim().slice(0, 60),
        isAtGate: element.closest('.gate') !== null,
      }))
      if (isForbidden(name) || (await part.isDisabled())) return null
      if (await seen(stage.page.locator('.picker'))) return press(stage, 'Escape')
      if (isAtGate) stage.mind.approvals += 1
      if (
        name.match(word('gate.session')) ||
        name.match(/いつも許す|Always|モード|Mode|自動編集|すべて|計画|確認|規則|rule|Plan|Ask|Auto|Full/)
      )
        stage.isFreehand = true
      if (tag === 'SELECT') await part.selectOption({ index: draw.below(3) }).catch(() => undefined)
      else await part.click({ timeout: 2_000 })
      if (tag === 'INPUT' || tag === 'TEXTAREA') {
        await stage.page.keyboard.insertText(draw.pick(['あ', '12', '-1', '1e9', 'x'.repeat(3_000), '']))
        if (draw.chance(0.4)) await press(stage, 'Enter')
      }
      return `${tag.toLowerCase()} ${name}`
    },
  },
  resize: {
    weight: 2,
    leavesBox: true,
    async run(stage, draw) {
      const [width, height] = draw.pick([
        [1440, 900],
        [1024, 700],
        [760, 560],
        [1920, 1080],
        [1100, 400],
      ] as const)
      await stage.page.setViewportSize({ width, height })
      return `${width}×${height}`
    },
  },
  reload: {
    weight: 2,
    leavesBox: true,
    async run(stage) {
      await stage.page.reload()
      await stage.page.locator('.app-body:not(.app-connecting)').waitFor({ timeout: 30_000 })
      return 'reloaded'
    },
  },
  showSession: {
    weight: 4,
    leavesBox: true,
    async run(stage) {
      const button = stage.page.locator('.header .segmented').last().getByText(word('view.session'))
      if ((await isCovered(stage)) || !(await seen(button))) return null
      await button.click({ timeout: 2_000 })
      return 'session'
    },
  },
  manuscript: {
    weight: 4,
    async run(stage, draw) {
      const editor = stage.page.locator('.manuscript .cm-content')
      if ((await isCovered(stage)) || !(await seen(editor))) return null
      await editor.focus()
      stage.writes += 1
      await stage.page.keyboard.insertText(`【U${stage.writes}】`)
      if (draw.chance(0.3))
        await press(
          stage,
          draw.pick(['Control+z', 'Control+Shift+z', 'Control+Enter', 'Control+s', 'Escape', 'Tab']),
        )
      return `【U${stage.writes}】`
    },
  },
}

/** What leaves these folders, or asks the network. */
function isForbidden(name: string): boolean {
  return /フォルダー|取得する|見本|新しい作品|作品を閉じる|サーバー|GGUF|folder|Fetch|Get|sample|New work|Close|server|書き出す|Export to/i.test(
    name,
  )
}
