import { defineConfig } from '@playwright/test'
import { chromium } from './chromium.ts'

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results',
  // One more than the two cores that the suite is measured on: tests wait for hosts and for the user's reading time.
  workers: 3,
  retries: 0,
  // A test may wait for several turns of a session on a busy machine.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'ja-JP',
    launchOptions: chromium,
    // Tracing every test makes the whole suite about a sixth slower.
    trace: process.env.TSUGI_TRACE === undefined ? 'off' : 'retain-on-failure',
  },
})
