import type { Locator } from '@playwright/test'
import type { Draw } from './random-draw.ts'
import type { SoakStage } from './soak-stage.ts'
import { clicked, isCovered, press, reachMs, seen, type UserAction, visible, word } from './user-hand.ts'

/** Actions on chapters, takes and turns: write, exchange, remove, undo, also while the host is killed. */
export const workActions: Record<string, UserAction> = {
  showManuscript: {
    weight: 2,
    run: clicked(({ page }) => page.locator('.header .segmented').last().getByText(word('view.manuscript'))),
  },
  draft: {
    weight: 2,
    async run(stage, draw) {
      const editor = stage.page.locator('.manuscript .cm-content')
      if ((await isCovered(stage)) || !(await seen(editor))) return null
      await editor.focus()
      await press(stage, 'Control+Enter')
      await stage.page.waitForTimeout(draw.pick([0, 300, 1_500]))
      return `draft, ${await press(stage, draw.pick(['Tab', 'Escape', 'Control+Enter', 'ArrowRight']))}`
    },
  },
  manuscriptKeys: {
    weight: 3,
    async run(stage, draw) {
      const editor = stage.page.locator('.manuscript .cm-content')
      if ((await isCovered(stage)) || !(await seen(editor))) return null
      await editor.focus()
      if (draw.chance(0.5)) await press(stage, 'Shift+Home')
      // Other words, another take, three takes, a rewriting, the take before, an endless run, the vertical view.
      return press(
        stage,
        draw.pick([
          'Alt+ArrowDown',
          'Alt+r',
          'Control+Alt+m',
          'Control+Alt+w',
          'Alt+ArrowLeft',
          'Control+Alt+g',
          'Control+Alt+v',
        ]),
      )
    },
  },
  swapTakes: {
    weight: 3,
    async run(stage, draw) {
      const tab = stage.page.getByRole('tab', { name: word('tab.takes') })
      if ((await isCovered(stage)) || !(await seen(tab))) return null
      await tab.first().click({ timeout: reachMs })
      const cards = stage.page.locator('.take')
      const shown = await visible(cards)
      if (shown.length === 0) return 'no takes'
      const card: Locator = cards.nth(draw.below(shown.length))
      await card.hover({ timeout: reachMs })
      await card.getByRole('button', { name: word('takes.insert') }).click({ timeout: reachMs })
      return 'put another take in'
    },
  },
  removeChapter: {
    weight: 2,
    async run(stage, draw) {
      const rows = await visible(stage.page.locator('.file-open:not(.session-open)'))
      if ((await isCovered(stage)) || rows.length === 0) return null
      const row = draw.pick(rows)
      const name = await row.textContent()
      await row.focus()
      await press(stage, 'Delete')
      return name
    },
  },
  restoreChapter: {
    weight: 3,
    async run(stage, draw) {
      const link = stage.page.locator('.removed-link')
      if ((await isCovered(stage)) || !(await seen(link))) return null
      await link.click({ timeout: reachMs })
      const buttons = stage.page.locator('.removed-files').getByRole('button')
      await buttons.first().waitFor({ timeout: 3_000 })
      const button = draw.pick(await visible(buttons))
      const name = await button.textContent()
      await button.click({ timeout: reachMs })
      return name
    },
  },
  undoInTheMiddle: {
    weight: 2,
    async run(stage, draw) {
      const turn = await lastTurn(stage)
      if (turn === null) return null
      return `${await undoOf(stage, turn, draw)} of turn ${turn.turn}`
    },
  },
  undoUnderDyingHost: {
    weight: 1,
    leavesBox: true,
    async run(stage, draw) {
      const turn = await lastTurn(stage)
      if (turn === null) return null
      const undone = undoOf(stage, turn, draw)
      await stage.page.waitForTimeout(draw.pick([0, 5, 20, 60]))
      await stage.restartInPlace()
      return `${await undone} of turn ${turn.turn}, and the host killed`
    },
  },
  killInPlace: {
    weight: 2,
    leavesBox: true,
    async run(stage) {
      await stage.restartInPlace()
      return 'killed and started anew under its address'
    },
  },
}

type Turn = { sessionId: string; turn: number }

/** Of the session that works, else of the newest one. */
async function lastTurn({ client, workId }: SoakStage): Promise<Turn | null> {
  for await (const { sessions } of client['session.watchList']({ workId })) {
    const busy = sessions.find(({ isWorking }) => isWorking) ?? sessions[0]
    if (busy === undefined) return null
    const { sessionId } = busy
    for await (const event of client['session.watch']({ sessionId })) {
      const turn = event.type === 'snapshot' ? (event.items.at(-1)?.turn ?? 0) : 0
      return turn === 0 ? null : { sessionId, turn }
    }
  }
  return null
}

/** Undoes a turn and returns a description of the result: a host that is killed gives no answer. */
async function undoOf(stage: SoakStage, { sessionId, turn }: Turn, draw: Draw): Promise<string> {
  const what = draw.pick(['files', 'both', 'conversation'] as const)
  try {
    await stage.client['session.undo']({ sessionId, turn, what, choices: [] })
    return `undo (${what})`
  } catch (error) {
    return `undo (${what}) without an answer (${String(error).split('\n')[0]})`
  }
}
