import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const renderer = resolve(import.meta.dirname, '..')

// Visually hidden elements are positioned. In a scrolling part that is not positioned, they would stand below the
// window and make the whole page scroll.
it('what scrolls holds the parts that are positioned in it', () => {
  const bare: string[] = []
  let scrolled = 0
  for (const name of readdirSync(renderer, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.css')) continue
    const css = readFileSync(join(renderer, name), 'utf8')
    for (const [, selector = '', body = ''] of css.matchAll(/([^{}]*)\{([^{}]*)\}/g)) {
      if (!/overflow(-[xy])?: *(auto|scroll)/.test(body)) continue
      scrolled += 1
      if (!/position: *(relative|absolute|fixed|sticky)/.test(body)) bare.push(`${name}: ${selector.trim()}`)
    }
  }
  expect(scrolled).toBeGreaterThan(10)
  expect(bare).toEqual([])
})

// Every file's styles are in every page: a feature's class of the same name once hid all checkboxes.
it('a class gets its look from one file', () => {
  const places = new Map<string, Set<string>>()
  for (const name of readdirSync(renderer, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.css')) continue
    const css = readFileSync(join(renderer, name), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
    for (const [, selectors = ''] of css.matchAll(/([^{}]*)\{/g)) {
      for (const selector of selectors.split(',')) {
        const [, own] = /^\.([\w-]+)(:[\w-]+(\([^)]*\))?)*$/.exec(selector.trim()) ?? []
        if (own !== undefined) places.set(own, (places.get(own) ?? new Set()).add(name))
      }
    }
  }
  expect(places.size).toBeGreaterThan(200)
  expect([...places].filter(([, files]) => files.size > 1)).toEqual([])
})
