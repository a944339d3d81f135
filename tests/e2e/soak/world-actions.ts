import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reachMs, type UserAction } from './user-hand.ts'

/** Events from outside of the window: other programs, the host's end, another window, the model's server. */
export const worldActions: Record<string, UserAction> = {
  otherProgram: {
    weight: 4,
    leavesBox: true,
    async run(stage, draw) {
      const path = join(stage.root, draw.pick(['note.txt', '章/一.md', 'src/a.ts', 'new.txt', '外.txt']))
      const what = draw.pick(['append', 'write', 'remove'])
      if (what === 'append') await appendFile(path, '外から\n').catch(() => undefined)
      if (what === 'write') await writeFile(path, '一行目\n二行目\n外の三行目\n').catch(() => undefined)
      if (what === 'remove') await rm(path, { force: true })
      return `${what} ${path.slice(stage.root.length + 1)}`
    },
  },
  kill: {
    weight: 1,
    async run(stage) {
      await stage.restart()
      return 'killed and started anew'
    },
  },
  secondWindow: {
    weight: 2,
    async run(stage, draw) {
      if (stage.other === null) {
        stage.other = await stage.newWindow()
        return 'opened'
      }
      if (draw.chance(0.4)) {
        await stage.other.close()
        stage.other = null
        return 'closed'
      }
      const first = stage.page
      stage.page = stage.other
      stage.other = first
      await stage.page.bringToFront()
      return 'changed places'
    },
  },
  otherFolder: {
    weight: 1,
    async run(stage, draw) {
      if (await stage.page.getByRole('dialog').first().isVisible()) return null
      await stage.page.keyboard.press('Control+o')
      const path = stage.page.locator('.picker-path input')
      await path.waitFor({ timeout: 3_000 })
      const root = draw.chance(0.5) ? stage.root : stage.otherRoot
      await path.fill(root)
      await path.press('Enter')
      await stage.page.locator('.picker-entries, .picker-main').first().waitFor()
      await stage.page.locator('.dialog-footer').getByText(root, { exact: true }).waitFor({ timeout: 3_000 })
      await stage.page.locator('.dialog-footer .button-primary').click({ timeout: reachMs })
      return root === stage.root ? 'the first' : 'the other'
    },
  },
  modelFaults: {
    weight: 2,
    leavesBox: true,
    async run(stage, draw) {
      stage.mind.isFaulty = draw.chance(0.6)
      stage.llama.options.tokenMs = draw.pick([0, 0, 2, 20])
      if (draw.chance(0.2)) stage.llama.die()
      else await stage.llama.accept()
      return `faults ${stage.mind.isFaulty}`
    },
  },
  wait: {
    weight: 6,
    leavesBox: true,
    async run(stage, draw) {
      await stage.page.waitForTimeout(draw.pick([50, 200, 700]))
      return 'a while'
    },
  },
}
