import { mergeTests } from '@playwright/test'
import { expect, test as novelTest } from '../support/drafting-test.ts'
import { startHost } from '../support/host.ts'
import { openHostClient } from '../support/host-client.ts'
import { test as sessionTest } from '../support/session-test.ts'
import { violations } from './axe.ts'
import { walkNovel } from './novel-views.ts'
import { walkSession } from './session-views.ts'
import { walkWelcome } from './welcome-views.ts'

const test = mergeTests(novelTest, sessionTest)

test('axe finds nothing in the views of a work', async ({ page, openAppWindow }) => {
  const found: string[] = []
  await walkNovel(openAppWindow, 'ja', async (name) => {
    found.push(...(await violations(page)).map((one) => `${name}: ${one}`))
  })
  expect(found).toEqual([])
})

test('axe finds nothing in the views of a session', async ({ page, openRoom }) => {
  test.setTimeout(240_000)
  const found: string[] = []
  await walkSession(openRoom, 'en', async (name) => {
    found.push(...(await violations(page)).map((one) => `${name}: ${one}`))
  })
  expect(found).toEqual([])
})

test('axe finds nothing in the views without a work', async ({ page }) => {
  const host = await startHost({ args: ['--no-model'] })
  const { client, close } = await openHostClient(host.link)
  const found: string[] = []
  await walkWelcome(page, host.link, client, 'en', async (name) => {
    found.push(...(await violations(page)).map((one) => `${name}: ${one}`))
  })
  close()
  await host.stop()
  expect(found).toEqual([])
})
