/** The host is killed repeatedly while an author goes on writing: no typed text is ever lost. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { AppWindow } from '../support/app-window.ts'
import { startHost, temporaryFolder } from '../support/host.ts'
import { test } from '../support/worker-test.ts'

const kills = process.env.TSUGI_SOAK ? 300 : 6
const killMs = 8_000

/** `text`: all that was written into it. */
type Chapter = { name: string; file: string; text: string }

test(`${kills} kills under one window lose nothing, neither in the window nor on disk`, async ({ page }) => {
  test.setTimeout(360_000 + kills * killMs)
  const random = seededRandom(12)
  const [dataDir, root] = [await temporaryFolder('data'), await temporaryFolder('work')]
  const first: Chapter = { name: '01', file: join(root, '01.txt'), text: '初め。' }
  const second: Chapter = { name: '02', file: join(root, '02.txt'), text: '別の章。' }
  const chapters = [first, second]
  for (const { file, text } of chapters) await writeFile(file, text)
  const onDisk = () => Promise.all(chapters.map(({ file }) => readFile(file, 'utf8')))

  let host = await startHost({ dataDir, project: root })
  const { port } = new URL(host.link)
  const appWindow = new AppWindow(page)
  await page.goto(host.link)
  let shown: Chapter = first
  /** Waits for the chapter with which a page begins: one of the two, with all its text. */
  const opened = async () => {
    const texts = chapters.map(({ text }) => text)
    await expect.poll(async () => texts.indexOf(await appWindow.text())).toBeGreaterThanOrEqual(0)
    shown = chapters[texts.indexOf(await appWindow.text())] ?? first
  }
  await opened()
  /** Shows a chapter with the caret at its end. */
  const show = async (chapter: Chapter) => {
    const isOther = chapter !== shown
    shown = chapter
    // Its count of characters joins the name in the list as soon as it is known.
    const row = page.getByRole('button', { name: new RegExp(`^${chapter.name}( |$)`) })
    // A notice that goes while the mouse is on its way moves the list from under it.
    await expect(async () => {
      if (isOther) await row.click()
      await expect(appWindow.editor).toHaveText(chapter.text, { timeout: 10_000 })
    }).toPass()
    await appWindow.editor.focus()
    await page.keyboard.press('Control+End')
  }
  let words = 0
  const write = async (chapter: Chapter) => {
    await show(chapter)
    words += 1
    const word = `${words}、`
    chapter.text += word
    await page.keyboard.insertText(word)
  }

  for (let kill = 0; kill < kills; kill += 1) {
    // One in four is loaded anew with text in both chapters that no host has heard of.
    const isAnew = kill % 4 === 1 || random() < 0.2
    for (let count = Math.floor(random() * 4); count >= 0; count -= 1) {
      await write(random() < 0.7 ? first : second)
      await page.waitForTimeout(Math.floor(random() * 250))
    }
    // A reload right before the kill: the host may have the typed text in memory only.
    if (random() < 0.2) {
      await page.reload()
      await opened()
    } else await page.waitForTimeout(Math.floor(random() * 700))
    // Without a host, only a chapter that this page has opened can be written.
    await show(second)
    await show(first)
    await host.kill()
    if (isAnew || random() < 0.5) await write(second)
    if (isAnew || random() < 0.7) await write(first)
    // Another program edits the file while nobody holds it.
    if (random() < 0.15) {
      await writeFile(first.file, `序${kill}。${await readFile(first.file, 'utf8')}`)
      first.text = `序${kill}。${first.text}`
    }
    host = await startHost({ dataDir, project: root, args: ['--port', port] })
    const { hash } = new URL(host.link)
    if (isAnew) {
      // The page is loaded anew: its unsaved text is in the tab's own storage.
      await page.goto('about:blank')
      await page.goto(host.link)
      await opened()
    } else {
      await page.evaluate((link) => {
        location.hash = link
      }, hash)
    }
    const texts = chapters.map(({ text }) => text)
    await expect.poll(onDisk, { message: `disk after kill ${kill}` }).toEqual(texts)
    await expect.poll(() => appWindow.text(), { message: `window after kill ${kill}` }).toBe(shown.text)
  }
  await expect(page.getByRole('alert')).toHaveCount(0)
  await host.stop()
})
