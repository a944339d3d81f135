import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { handOf } from '../support/hand.ts'
import { shoot } from '../support/shoot.ts'

const texts = {
  ja: {
    before: '　朝になった。\n　鐘が鳴った。\n　窓を開けた。\n',
    after: '　彼女は町へ出て、市場で花を買った。\n　夕方に帰った。\n',
    bridge: '　少し歩いた。',
  },
  en: {
    before: 'Morning came.\nA bell rang.\nShe opened the window.\n',
    after: 'She went to town and bought flowers at the market.\nShe came home in the evening.\n',
    bridge: 'She dressed quickly.',
  },
}

for (const [language, told] of Object.entries(texts) as [Language, (typeof texts)['ja']][]) {
  test(`an offer in the middle ends where it meets what follows, and its take says so, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const { before, after, bridge } = told
    const { appWindow, client, generated, onDisk } = await openSharedAppWindow({
      files: { '001.txt': before + after },
      kobold: { answer: `${bridge}\n${after}${bridge}` },
    })
    const { page } = appWindow
    await client['settings.update']({ patch: { language } })
    await page.getByRole('tab', { name: t('tab.takes'), exact: true }).click()
    const editor = page.getByRole('textbox', { name: t('editor.document') })
    await editor.focus()
    await page.keyboard.press('Control+Home')
    for (let line = 1; line < before.split('\n').length; line++) await page.keyboard.press('ArrowDown')
    await handOf(page, 'mouse', t).command(t('command.draftStartHere'))
    const pending = page.locator('.cm-pending')
    await expect(pending).toContainText(bridge.trim())
    await expect(page.getByRole('button', { name: t('action.stop') })).toHaveCount(0)
    const [next = ''] = after.trim().split('\n')
    expect((await pending.allTextContents()).join('')).not.toContain(next.slice(0, 8))
    expect(generated()[0]?.prompt).toContain(after.trim().split('\n').at(-1)?.trim())

    const takes = page.getByRole('list', { name: t('tab.takes') }).getByRole('listitem')
    await expect(takes).toHaveCount(1)
    await expect(takes.first()).toContainText(t('takes.ended.met'))
    await shoot(page, `met-${language}`)

    await editor.focus()
    await page.keyboard.press('Tab')
    const ends = (text: string) => text.split(next).length - 1
    await expect.poll(async () => (await onDisk('001.txt')).includes(bridge.trim())).toBe(true)
    expect(ends(await onDisk('001.txt'))).toBe(1)
  })
}
