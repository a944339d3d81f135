import type { Page } from '@playwright/test'
import type { Client } from '../../../src/shared/contract/index.ts'
import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect } from '../support/drafting-test.ts'
import type { Visit } from './novel-views.ts'

/** Leads a window through what is there before anything is open. */
export async function walkWelcome(
  page: Page,
  link: string,
  client: Client,
  language: Language,
  visit: Visit,
): Promise<void> {
  const t = createTranslate(language)
  await client['settings.update']({ patch: { language } })
  await page.goto(link)
  await expect(page.getByRole('main')).toBeVisible()
  await expect(page.getByText(t('app.name'), { exact: true }).first()).toBeVisible()
  // All of the next sentence waits.
  await expect(page.locator('.cm-pendingHints')).toContainText(t('editor.dismiss'))
  await visit('welcome')
  // All of it is in one screen, also in a small one: the offer to its end, and the model's line.
  await page.setViewportSize({ width: 1024, height: 768 })
  await expect(page.getByRole('button', { name: t('models.addServer') })).toBeInViewport({ ratio: 1 })
  await expect(page.locator('.cm-pendingMore')).toHaveText('')
}
