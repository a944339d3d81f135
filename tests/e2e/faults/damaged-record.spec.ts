/** A database that was cut, and the backup that the window offers. */

import { execFileSync } from 'node:child_process'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { createBackups } from '../../../src/main/store/database/backups.ts'
import { startHost, temporaryFolder } from '../support/host.ts'
import { openHostClient } from '../support/host-client.ts'
import { shoot } from '../support/shoot.ts'
import { test } from '../support/worker-test.ts'

test('a damaged database says so, and a backup is restored from the window', async ({ page, context }) => {
  const [dataDir, root] = [await temporaryFolder('data'), await temporaryFolder('work')]
  await writeFile(join(root, '01.txt'), '本文。')
  const first = await startHost({ dataDir, project: root })
  const { client, close } = await openHostClient(first.link)
  await client['settings.update']({ patch: { theme: 'dark' } })
  close()
  await first.stop()
  const file = join(dataDir, 'tsugi.db')
  await createBackups(file, join(dataDir, 'backups'), { now: Date.now }).makeDue()
  await truncate(file, 0)

  const host = await startHost({ dataDir, project: root })
  await page.goto(host.link)
  await expect(page.getByRole('heading', { name: 'データベースが壊れています' })).toBeVisible()
  const other = await context.newPage()
  await other.goto(host.link)
  await expect(other.getByRole('heading', { name: 'データベースが壊れています' })).toBeVisible()
  await shoot(page, 'damaged')
  await expect(page.getByRole('alert')).toHaveCount(0)

  await page.getByRole('button', { name: 'このバックアップに戻す' }).click()
  // Every window begins anew with the settings of the backup, and opens the work that the start named.
  for (const one of [page, other]) {
    await expect(one.getByRole('textbox', { name: '本文' })).toHaveText('本文。')
    await expect(one.locator('html')).toHaveAttribute('data-theme', 'dark')
  }
  await expect(other.getByRole('heading', { name: 'データベースが壊れています' })).toHaveCount(0)
  expect((await readdir(dataDir)).filter((name) => name.includes('.damaged-'))).toHaveLength(1)
  await host.stop()
  const again = await startHost({ dataDir, project: root })
  await page.goto(again.link)
  await expect(page.getByRole('textbox', { name: '本文' })).toHaveText('本文。')
  await again.stop()
})

test('a pipe in the place of the database is told of in English, and the backup takes its place', async ({
  page,
}) => {
  test.skip(process.platform === 'win32', 'no pipes by name')
  const [dataDir, root] = [await temporaryFolder('data'), await temporaryFolder('work')]
  await writeFile(join(root, '01.txt'), 'The text.')
  const first = await startHost({ dataDir, project: root })
  const { client, close } = await openHostClient(first.link)
  await client['settings.update']({ patch: { theme: 'dark', language: 'en' } })
  close()
  await first.stop()
  const file = join(dataDir, 'tsugi.db')
  await createBackups(file, join(dataDir, 'backups'), { now: Date.now }).makeDue()
  await rm(file)
  execFileSync('mkfifo', [file])

  const host = await startHost({ dataDir, project: root, args: ['--lang', 'en'] })
  await page.goto(host.link)
  await expect(page.getByRole('heading', { name: 'The database is damaged' })).toBeVisible()
  await expect(page.getByText(file)).toBeVisible()
  await shoot(page, 'damaged-en')
  await page.getByRole('button', { name: 'Restore this backup' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(page.getByText('The text.')).toBeVisible()
  await host.stop()
})
