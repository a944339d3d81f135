/** A new user without a model tries both beginnings: up to an accepted sentence, and to a change that is undone. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { type Hand, handOf } from '../support/hand.ts'
import { startHost, temporaryFolder } from '../support/host.ts'
import { test } from '../support/worker-test.ts'

const requests = { ja: 'メモを作ってください', en: 'Please make a note' }
/** The other two pairs of language and hand are played with `TSUGI_SOAK` only. */
const walks: [Language, Hand['device']][] = [
  ['ja', 'mouse'],
  ['en', 'keyboard'],
]
if (process.env.TSUGI_SOAK !== undefined) walks.push(['ja', 'keyboard'], ['en', 'mouse'])

for (const [language, device] of walks)
  test(`a newcomer writes and works on code, in ${language}, by ${device} alone`, async ({ page }) => {
    const home = await temporaryFolder('home')
    const project = join(home, 'parser')
    await mkdir(project, { recursive: true })
    await writeFile(join(project, 'package.json'), '{ "name": "parser" }\n')
    await writeFile(join(project, 'README.md'), '# parser\n')
    const host = await startHost({
      dataDir: join(home, 'data'),
      env: { HOME: home },
      args: ['--no-model', '--lang', language],
    })
    const t = createTranslate(language)
    const hand = handOf(page, device, t)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const dialog = page.getByRole('dialog')
    const hint = (part: string) => page.locator(`${part} .cm-pendingHint[data-keys=Tab]`)
    const accept = async (part: string) => {
      await expect(hint(part)).toBeVisible()
      if (device === 'keyboard') await page.keyboard.press('Tab')
      else await hint(part).click()
    }
    try {
      await page.goto(host.link)
      await test.step('the page that can be tried', async () => {
        const sample = page.getByRole('region', { name: t('welcome.page') })
        await expect(page.getByRole('heading', { name: t('welcome.story') })).toBeVisible()
        await expect(page.getByRole('heading', { name: t('welcome.code') })).toBeVisible()
        const pending = sample.locator('.cm-pending')
        await expect(pending).toHaveText(/[.。]$/)
        // More may come until the key is pressed. The editor's own text has no ends of lines.
        const [offered = ''] = ((await pending.textContent()) ?? '').trim().split('\n')
        await accept('.welcome')
        await expect(sample.getByRole('status')).toContainText(t('welcome.accepted'))
        await expect(pending).toHaveCount(0)
        await expect(sample.locator('.cm-content')).toContainText(offered.slice(-8))
      })

      await test.step('the demo is chosen, and continues the sample', async () => {
        await hand.act(button(t('welcome.chooseModel')))
        await hand.act(button(t('models.demo')))
        const model = t('status.modelButton', { model: t('model.demo') })
        await expect(page.getByRole('contentinfo').getByRole('button', { name: model })).toBeVisible()
        await hand.act(button(t('welcome.sample')))
        const text = page.getByRole('textbox', { name: t('editor.document') })
        await expect(text).toBeFocused()
        if (device === 'keyboard') await page.keyboard.press('Control+Enter')
        else await hand.act(page.getByRole('button', { name: t('draftMode.generate.start') }))
        // The demo takes its time over a whole page.
        await expect(page.locator('.cm-pending')).toHaveText(/.{20}/)
        if (device === 'keyboard') await page.keyboard.press('Escape')
        else await hand.act(page.getByRole('contentinfo').getByRole('button', { name: t('action.stop') }))
        await expect(button(t('action.stop'))).toHaveCount(0)
        const offered = (await page.locator('.cm-pending').allTextContents()).join('').trim()
        // Tab is the text's own only after a key or a click in it.
        if (device === 'keyboard') await page.keyboard.press('Control+End')
        await accept('.manuscript')
        const sample = join(host.dataDir, 'samples', language)
        await expect.poll(() => textsIn(sample)).toContain(offered.slice(0, 12))
        if (device === 'keyboard') return
        await page.getByRole('tab', { name: t('tab.takes'), exact: true }).click()
        const takes = page.getByRole('list', { name: t('tab.takes') }).getByRole('listitem')
        await expect(takes.first()).toContainText(t('model.demoShort'))
      })

      await test.step('a folder of code opens as a project', async () => {
        if (device === 'keyboard') await page.keyboard.press('Control+o')
        else await hand.act(button(t('welcome.openFolder')))
        await expect(dialog.getByRole('option', { name: 'parser' })).toBeVisible()
        await hand.fill(dialog.getByRole('textbox', { name: t('picker.path') }), project)
        await page.keyboard.press('Enter')
        await expect(dialog.locator('.dialog-footer').getByText(project, { exact: true })).toBeVisible()
        await hand.act(dialog.getByRole('button', { name: t('picker.open-work.finish'), exact: true }))
        await expect(page.getByRole('radio', { name: t('view.session') })).toBeChecked()
      })

      await test.step('what it asks for is seen, approved, and stands in one line', async () => {
        const box = page.getByRole('textbox', { name: t('session.message') })
        await hand.focus(box)
        await page.keyboard.insertText(requests[language])
        await page.keyboard.press('Enter')
        for (const title of ['gate.title.create', 'gate.title.edit'] as const) {
          const gate = page.locator('.gate-open').filter({ hasText: t(title, { count: 1 }) })
          const approve = gate.locator('.gate-buttons button').first()
          await expect(approve).toHaveAttribute('aria-disabled', 'false')
          await hand.act(approve)
        }
        await expect(page.locator('.turn-outcome-line')).toContainText('+10 −0')
        expect(await readFile(join(project, 'tsugi-demo.md'), 'utf8')).toContain(requests[language])
      })

      await test.step('it is taken back', async () => {
        await hand.act(page.locator('.turn-outcome').getByRole('button').last())
        await hand.act(dialog.getByRole('button', { name: t('undo.go'), exact: true }))
        await expect.poll(async () => (await readdir(project)).sort()).toEqual(['README.md', 'package.json'])
        await expect(dialog).toHaveCount(0)
        if (device === 'keyboard') return
        await page.getByRole('radio', { name: t('view.manuscript'), exact: true }).click()
        await expect(page.getByRole('navigation', { name: t('files.label') })).toContainText('README')
        await page.getByRole('radio', { name: t('view.session'), exact: true }).click()
      })

      await test.step('both are found again', async () => {
        await hand.command(t('command.workClose'))
        const recent = page.getByRole('region', { name: t('welcome.recent') })
        await expect(recent.getByRole('listitem')).toHaveCount(2)
        await hand.act(recent.getByRole('button', { name: t('welcome.isWork') }).first())
        await expect(page.getByRole('textbox', { name: t('editor.document') })).toBeFocused()
      })
    } finally {
      await host.stop()
      await rm(home, { recursive: true, force: true })
    }
  })

/** The manuscripts of a folder, one after the other. */
async function textsIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.txt'))
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('')
}
