import { join } from 'node:path'
import { expect, manuscript, readText, test, write } from './desktop.ts'

test.describe('writing', () => {
  test('opens the folder of the command line, saves what is typed, and reopens where one was', async ({
    desk,
  }) => {
    const work = await desk.work('rain', '雨の朝だった。')
    const first = await desk.start('--lang=ja', work)
    await expect(manuscript(first.page)).toContainText('雨の朝だった。')
    await expect(first.page).toHaveTitle('rain – Tsugi')
    await write(first.page, '猫が鳴いた。')
    await first.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.setBounds({ x: 40, y: 50, width: 1100, height: 800 }),
    )
    await first.electron.close()
    expect(await readText(join(work, '01.txt'))).toBe('雨の朝だった。猫が鳴いた。')

    const second = await desk.start('--lang=ja')
    await expect(manuscript(second.page)).toContainText('猫が鳴いた。')
    const bounds = await second.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.getBounds(),
    )
    expect(bounds).toEqual({ x: 40, y: 50, width: 1100, height: 800 })
  })
})
