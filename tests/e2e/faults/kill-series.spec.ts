/** The host is killed repeatedly while an author goes on writing: no typed text is ever lost. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { AppWindow } from '../support/app-window.ts'
import { startHost, temporaryFolder } from '../support/host.ts'
import { test } from '../support/worker-test.ts'

const kills = process.env.TSUGI_SOAK ? 300 : 4
const killMs = 8_000

test(`${kills} kills under one window lose nothing, neither in the window nor on disk`, async ({ page }) => {
  test.setTimeout(360_000 + kills * killMs)
  const random = seededRandom(12)
  const [dataDir, root] = [await temporaryFolder('data'), await temporaryFolder('work')]
  const file = join(root, '01.txt')
  const other = join(root, '02.txt')
  await writeFile(file, '初め。')
  await writeFile(other, '別の章。')
  const onDisk = () => readFile(file, 'utf8')

  let host = await startHost({ dataDir, project: root })
  const { port } = new URL(host.link)
  const appWindow = new AppWindow(page)
  await page.goto(host.link)
  // Its count of characters joins the name in the list as soon as it is known.
  await page.getByRole('button', { name: /^01( |$)/ }).click()
  await expect(appWindow.editor).toHaveText('初め。')
  await appWindow.caretToEnd()
  let text = '初め。'
  let words = 0
  const write = async () => {
    words += 1
    const word = `${words}、`
    text += word
    await page.keyboard.insertText(word)
  }

  for (let kill = 0; kill < kills; kill += 1) {
    for (let count = Math.floor(random() * 4); count >= 0; count -= 1) {
      await write()
      await page.waitForTimeout(Math.floor(random() * 250))
    }
    // A reload right before the kill: the host may have the typed text in memory only.
    if (random() < 0.2) {
      await page.reload()
      await expect(appWindow.editor).toHaveText(text)
    } else await page.waitForTimeout(Math.floor(random() * 700))
    await host.kill()
    await appWindow.editor.focus()
    await page.keyboard.press('Control+End')
    if (random() < 0.7) await write()
    // Another program edits the file while nobody holds it.
    if (random() < 0.15) {
      await writeFile(file, `序${kill}。${await onDisk()}`)
      text = `序${kill}。${text}`
    }
    host = await startHost({ dataDir, project: root, args: ['--port', port] })
    const { hash } = new URL(host.link)
    if (random() < 0.2) {
      // The page is loaded anew: its unsaved text is in the tab's own storage.
      await page.goto('about:blank')
      await page.goto(host.link)
    } else {
      await page.evaluate((link) => {
        location.hash = link
      }, hash)
    }
    await expect.poll(() => appWindow.text(), { message: `window after kill ${kill}` }).toBe(text)
    await expect.poll(onDisk, { message: `disk after kill ${kill}` }).toBe(text)
    await appWindow.editor.focus()
    await page.keyboard.press('Control+End')
  }
  expect(await readFile(other, 'utf8')).toBe('別の章。')
  await host.stop()
})
