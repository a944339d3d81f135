import type { Draw } from './random-draw.ts'
import type { SoakStage } from './soak-stage.ts'
import { box, clicked, press, reachBox, type, type UserAction } from './user-hand.ts'

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

/** A PNG of one pixel, in base64. */
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function say(stage: SoakStage, draw: Draw, key: string): Promise<string | null> {
  if (!(await reachBox(stage))) return null
  const text = draw.pick(messages)
  await type(stage, text)
  await stage.page.keyboard.press(key)
  if (text.startsWith('はい')) stage.mind.approvals += 1
  return `${JSON.stringify(text.slice(0, 30))} ${key}`
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
      await type(stage, `書きかけ${draw.below(100)}`)
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
  pasteImage: {
    weight: 1,
    leavesBox: true,
    async run(stage) {
      if (!(await reachBox(stage))) return null
      await box(stage).evaluate((element, bytes) => {
        const image = new File([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], '図.png', {
          type: 'image/png',
        })
        const clipboardData = new DataTransfer()
        clipboardData.items.add(image)
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }, onePixel)
      return 'pasted an image'
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
          'Alt+]',
          'Alt+[',
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
