import type { Page } from '@playwright/test'

/** Takes a picture for people to look at, where `TSUGI_SHOTS` names a folder for it: a picture costs a tenth of a second. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.TSUGI_SHOTS
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Takes a picture of the page in the light colours and one in the dark ones (`NAME-dark`). */
export async function shootBoth(page: Page, name: string): Promise<void> {
  await shoot(page, name)
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot(page, `${name}-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
}
