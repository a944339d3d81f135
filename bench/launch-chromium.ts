import { type Browser, chromium as playwright } from '@playwright/test'
import { chromium } from '../tests/e2e/chromium.ts'

/** Chromium as users have it: the tests' pages live for seconds and leave their code uncompiled. */
export function launchChromium(): Promise<Browser> {
  return playwright.launch({
    ...chromium,
    args: chromium.args.filter((arg) => !arg.startsWith('--js-flags')),
  })
}
