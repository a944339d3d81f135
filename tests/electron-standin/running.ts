import type { Chromium } from './windows/chromium.ts'

let chromium: Chromium | undefined

/** The browser of this process; there is one from `ready` on. */
export function currentChromium(): Chromium {
  if (chromium === undefined) throw new Error('The Electron stand-in has not started its browser yet.')
  return chromium
}

export function setChromium(next: Chromium): void {
  chromium = next
}
