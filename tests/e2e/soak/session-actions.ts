import {
  clicked,
  isCovered,
  press,
  reachBox,
  reachMs,
  seen,
  type,
  type UserAction,
  visible,
  word,
} from './user-hand.ts'

export const sessionActions: Record<string, UserAction> = {
  approve: {
    weight: 14,
    leavesBox: true,
    async run(stage, draw) {
      const button = stage.page.locator('.gate-open .gate-buttons button').first()
      if ((await isCovered(stage)) || !(await seen(button))) return null
      await stage.page.waitForTimeout(draw.pick([0, 300, 800]))
      try {
        await button.click({ timeout: reachMs })
      } finally {
        // What was proposed until now is meant, also where another gate took the place of the first.
        stage.mind.approvals += 1
      }
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
        if (name.match(word('gate.session')) || name.match(/^(常に許可|Always)/)) stage.isFreehand = true
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
      const items = await visible(stage.page.getByRole('menuitem'))
      if (items.length === 0) return opened
      const item = draw.pick(items)
      const name = await item.textContent()
      if ((await item.getAttribute('aria-disabled')) === 'true') await press(stage, 'Escape')
      else await item.click({ timeout: reachMs })
      return name
    },
  },
  sessionMenu: {
    weight: 2,
    async run(stage, draw) {
      if (await isCovered(stage)) return null
      const rows = await visible(stage.page.locator('.session-open'))
      if (rows.length === 0) return null
      await draw.pick(rows).focus()
      const key = await press(stage, draw.pick(['F2', 'Delete', 'ArrowDown']))
      if (key === 'F2') {
        await type(stage, `名前${draw.below(9)}`)
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
      await type(stage, draw.pick(['目標を変える', 'あ'.repeat(500), '一\n二\n三']))
      return `${name}, ${await press(stage, draw.pick(['Enter', 'Escape', 'Control+Enter', 'Tab']))}`
    },
  },
  mode: {
    weight: 1,
    async run(stage) {
      if (!(await reachBox(stage))) return null
      stage.isFreehand = true
      return press(stage, 'Alt+m')
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
