import { defineConfig } from '@playwright/test'
import { chromium } from './chromium.ts'

export default defineConfig({
  testDir: '.',
  globalSetup: './global-setup.config.ts',
  outputDir: '../../test-results',
  // Two more than the two cores that the suite is measured on: tests wait for hosts and for the user's reading time.
  // Four workers use nine tenths of both cores.
  workers: 4,
  retries: 0,
  // These limits only end what hangs: a busy machine may be ten times as slow as the one that the suite is measured on.
  timeout: 360_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  use: {
    actionTimeout: 120_000,
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'ja-JP',
    launchOptions: chromium,
    // Tracing every test makes the whole suite about a sixth slower.
    trace: process.env.TSUGI_TRACE === undefined ? 'off' : 'retain-on-failure',
  },
})
