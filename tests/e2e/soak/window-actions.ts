import {
  isCovered,
  press,
  pressed,
  reachMs,
  seen,
  type,
  type UserAction,
  visible,
  word,
} from './user-hand.ts'

export const windowActions: Record<string, UserAction> = {
  escape: { weight: 5, run: pressed('Escape') },
  keys: {
    weight: 5,
    run: pressed(
      // Not Shift+Tab: in the box it changes the mode.
      'Control+Shift+P',
      'Control+,',
      'Control+Shift+S',
      'Control+Shift+F',
      'Control+Alt+N',
      'Alt+G',
      'F6',
      'Tab',
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
      await options.first().waitFor({ timeout: 1_000 })
      // A work anywhere on this machine is opened by nobody here.
      const items = await visible(options)
      if (items.length === 0) return null
      const item = draw.pick(items)
      const name = (await item.textContent()) ?? ''
      if (isForbidden(name)) return press(stage, 'Escape')
      if (name.match(/モード|Mode/)) stage.isFreehand = true
      await item.click({ timeout: reachMs })
      return name
    },
  },
  anything: {
    weight: 16,
    async run(stage, draw) {
      const layer = stage.page.locator('[role=menu], [role=dialog]').last()
      const scope = (await seen(layer)) ? layer : stage.page.locator('.app')
      const parts = await visible(
        scope.locator('button, [role=menuitem], [role=tab], input, select, textarea, summary, .cm-content'),
      )
      if (parts.length === 0) return null
      const part = draw.pick(parts)
      const { tag, isText, name, isAtGate } = await part.evaluate((element) => ({
        tag: element.tagName,
        isText:
          element instanceof HTMLTextAreaElement ||
          (element instanceof HTMLInputElement && !/checkbox|radio|range/.test(element.type)),
        name: `${element.getAttribute('aria-label') ?? ''} ${element.textContent}`.trim().slice(0, 60),
        isAtGate: element.closest('.gate') !== null,
      }))
      if (isForbidden(name) || (await part.isDisabled())) return null
      if (await seen(stage.page.locator('.picker'))) return press(stage, 'Escape')
      if (
        name.match(word('gate.session')) ||
        name.match(/常に許可|Always|モード|Mode|自動編集|おまかせ|計画|承認|規則|rule|Plan|Ask|Auto|Full/)
      )
        stage.isFreehand = true
      try {
        if (tag === 'SELECT') await part.selectOption({ index: draw.below(3) }, { timeout: reachMs })
        else await part.click({ timeout: reachMs })
      } finally {
        if (isAtGate) stage.mind.approvals += 1
      }
      if (isText) {
        await type(stage, draw.pick(['あ', '12', '-1', '1e9', 'x'.repeat(3_000), '']))
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
      await stage.page.locator('.app-body:not(.app-connecting)').waitFor({ timeout: 60_000 })
      return 'reloaded'
    },
  },
  showSession: {
    weight: 4,
    leavesBox: true,
    async run(stage) {
      const button = stage.page.locator('.header .segmented').last().getByText(word('view.session'))
      if ((await isCovered(stage)) || !(await seen(button))) return null
      await button.click({ timeout: reachMs })
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
      await type(stage, `【U${stage.writes}】`)
      if (draw.chance(0.3))
        await press(
          stage,
          draw.pick(['Control+z', 'Control+Shift+z', 'Control+Enter', 'Control+s', 'Escape', 'Tab']),
        )
      return `【U${stage.writes}】`
    },
  },
}

/** True for commands that leave these folders or use the network. */
function isForbidden(name: string): boolean {
  return /フォルダー|ダウンロード|見本|新しい作品|作品を閉じる|サーバー|GGUF|folder|Download|Get|sample|New work|Close|server|書き出す|Export to/i.test(
    name,
  )
}
