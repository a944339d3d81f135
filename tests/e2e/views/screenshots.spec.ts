import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { mergeTests } from '@playwright/test'
import type { Client } from '../../../src/shared/contract/index.ts'
import { createTranslate, type Language, type MessageKey } from '../../../src/shared/i18n/translate.ts'
import { expect, test as novelTest } from '../support/drafting-test.ts'
import { startHost } from '../support/host.ts'
import { openHostClient } from '../support/host-client.ts'
import { test as sessionTest } from '../support/session-test.ts'
import { walkNovel } from './novel-views.ts'
import { walkSession } from './session-views.ts'
import { walkWelcome } from './welcome-views.ts'

const folder = resolve(import.meta.dirname, '../../../screenshots')
const themes = ['light', 'dark', 'sepia'] as const
/** The last one is 1440 pixels at 200 %. */
const sizes = [
  { name: '1440', width: 1440, height: 900 },
  { name: '1024', width: 1024, height: 768 },
  { name: '200', width: 720, height: 450 },
] as const
const languages = (process.env.TSUGI_SCREENSHOTS_LANGUAGES ?? 'ja,en').split(',') as ('ja' | 'en')[]
/** `1` takes each view once, light at 1440; `sepia.1024,dark.200` takes it so. Without it, every theme and size. */
const quick = process.env.TSUGI_SCREENSHOTS_QUICK
const wanted = quick === '1' ? ['light.1440'] : quick?.split(',')

const test = mergeTests(novelTest, sessionTest)
test.skip(process.env.TSUGI_SCREENSHOTS === undefined, 'npm run screenshots')
test.describe.configure({ timeout: 900_000 })

/** What these views show is in a pane, which a narrow window shows only when it is asked for. */
const paneViews = new Set(
  'work takes context memo history session-sent session-audit session-course'.split(' '),
)
/** Views that are also taken with the left pane. */
const fileViews = new Set(['work', 'session-done'])

/** Saves the view in each theme and size, and puts the window back as it was. */
function camera(page: Page, language: Language, client: () => Promise<Client>) {
  const t = createTranslate(language)
  const withPane = async (title: MessageKey, take: () => Promise<void>) => {
    await page
      .getByRole('banner')
      .getByRole('button', { name: t(title) })
      .click()
    await expect(page.locator('.drawer')).toBeVisible()
    await take()
    await page.keyboard.press('Escape')
    await expect(page.locator('.drawer')).toHaveCount(0)
  }
  return async (name: string) => {
    const use = await client()
    await mkdir(folder, { recursive: true })
    const take = async (view: string, theme: string, size: string) => {
      await page.waitForTimeout(150)
      await page.screenshot({ path: join(folder, `${view}.${language}.${theme}.${size}.png`) })
    }
    for (const size of sizes) {
      const shown = themes.filter((theme) => wanted?.includes(`${theme}.${size.name}`) ?? true)
      if (shown.length > 0) await page.setViewportSize(size)
      for (const theme of shown) {
        await use['settings.update']({ patch: { theme } })
        await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme)
        await take(name, theme, size.name)
        if (size.width >= 1100) continue
        if (paneViews.has(name))
          await withPane('command.paneSide', () => take(`${name}-pane`, theme, size.name))
        if (fileViews.has(name))
          await withPane('command.paneFiles', () => take(`${name}-files`, theme, size.name))
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    await use['settings.update']({ patch: { theme: 'light' } })
  }
}

for (const language of languages) {
  test(`views of a work, ${language}`, async ({ page, openAppWindow }) => {
    let used: Client | null = null
    const opens: typeof openAppWindow = async (options) => {
      const opened = await openAppWindow(options)
      used = opened.client
      return opened
    }
    await walkNovel(
      opens,
      language,
      camera(page, language, async () => used as unknown as Client),
    )
  })

  test(`views of a session, ${language}`, async ({ page, openRoom }) => {
    let used: Client | null = null
    const opens: typeof openRoom = async (options) => {
      const opened = await openRoom(options)
      used = opened.client
      return opened
    }
    await walkSession(
      opens,
      language,
      camera(page, language, async () => used as unknown as Client),
    )
  })

  test(`views without a work, ${language}`, async ({ page }) => {
    const host = await startHost({ args: ['--no-model'] })
    const { client, close } = await openHostClient(host.link)
    await walkWelcome(
      page,
      host.link,
      client,
      language,
      camera(page, language, async () => client),
    )
    close()
    await host.stop()
  })
}

test('a page that shows them side by side', async () => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.png')).sort()
  const views = [...new Set(names.map((name) => name.split('.')[0] ?? ''))]
  const rows = views.map((view) => {
    const shots = names.filter((name) => name.startsWith(`${view}.`))
    const figures = shots.map(
      (name) =>
        `<figure><a href="${name}"><img loading="lazy" src="${name}" alt=""></a><figcaption>${name}</figcaption></figure>`,
    )
    return `<h2 id="${view}">${view}</h2><div>${figures.join('')}</div>`
  })
  const style =
    'body{font:14px system-ui;margin:24px}div{display:flex;flex-wrap:wrap;gap:12px}img{width:420px;border:1px solid #ccc}figure{margin:0}'
  const links = views.map((view) => `<a href="#${view}">${view}</a>`).join(' · ')
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>Tsugi</title><style>${style}</style><p>${links}</p>${rows.join('\n')}\n`,
  )
})
