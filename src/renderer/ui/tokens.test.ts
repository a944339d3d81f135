import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

function themeColours(theme: string): Map<string, string> {
  const block = css.slice(css.indexOf(`[data-theme="${theme}"]`)).match(/\{([^}]*)\}/)?.[1] ?? ''
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1] ?? '', m[2] ?? '']))
}

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(hex: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

const wanted: [ink: string, backgrounds: string[], least: number][] = [
  ['ink', ['paper', 'panel', 'raise', 'sel', 'seam-bg', 'ok-bg', 'bad-bg'], 7],
  ['ink2', ['paper', 'panel', 'raise', 'sel'], 4.5],
  ['ink3', ['paper', 'panel', 'raise', 'sel'], 4.5],
  ['seam', ['paper', 'panel', 'raise', 'seam-bg'], 4.5],
  ['on-seam', ['seam'], 4.5],
  ['bad', ['paper', 'panel', 'raise', 'bad-bg'], 4.5],
  ['ok', ['raise', 'ok-bg'], 4.5],
  ['control', ['paper', 'panel', 'raise'], 3],
]

describe.each(['light', 'dark', 'sepia'])('contrast in the %s theme', (theme) => {
  const colours = themeColours(theme)
  it.each(wanted)('%s on %s is at least %s:1', (ink, backgrounds, least) => {
    for (const background of backgrounds) {
      const ratio = contrast(colours.get(ink) ?? '', colours.get(background) ?? '')
      expect(ratio, `${ink} on ${background}`).toBeGreaterThanOrEqual(least)
    }
  })
})

/** How `manuscript-theme.ts` tints an uncertain word. */
const tint = 0.08

describe.each(['light', 'dark', 'sepia'])('an uncertain word in the %s theme', (theme) => {
  const colours = themeColours(theme)
  it.each(['paper', 'seam-bg'])('reads as well as the rest of the offer, on %s', (background) => {
    const channels = [1, 3, 5].map((at) => {
      const [over, under] = ['info', background].map((name) =>
        Number.parseInt((colours.get(name) ?? '').slice(at, at + 2), 16),
      ) as [number, number]
      return Math.round(over * tint + under * (1 - tint))
        .toString(16)
        .padStart(2, '0')
    })
    expect(contrast(colours.get('ink') ?? '', `#${channels.join('')}`)).toBeGreaterThanOrEqual(7)
    expect(contrast(colours.get('info') ?? '', colours.get(background) ?? '')).toBeGreaterThanOrEqual(3)
  })
})

describe.each(['light', 'dark', 'sepia'])('what is chosen, in the %s theme,', (theme) => {
  const colours = themeColours(theme)
  const spread = (name: string) => {
    const channels = [1, 3, 5].map((at) => Number.parseInt((colours.get(name) ?? '').slice(at, at + 2), 16))
    return Math.max(...channels) - Math.min(...channels)
  }
  it('is no more gold than a line is', () => {
    expect(spread('sel')).toBeLessThanOrEqual(spread('line'))
  })
})
