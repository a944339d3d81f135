import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import en from '../../src/shared/i18n/en.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')

/** Keys are named whole, or put together in a template such as `setup.${key}` or `${action}.done`. */
it('every text for users is named by code', () => {
  const code = ['src', 'electron', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.includes('.test.'))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  )
  const text = code.join('\n')
  const whole = new Set([...text.matchAll(/['"`]([a-z][\w.\-/]*)['"`]/g)].map(([, key]) => key))
  const templates = [...text.matchAll(/`([\w.\-/]*)\$\{[^`\n]*?\}([\w.\-/]*)`/g)].filter(
    ([, head = '', tail = '']) => /^[a-z]\w*\./.test(head) || /^\.\w+$/.test(tail),
  )
  const isNamed = (key: string): boolean =>
    whole.has(key) || templates.some(([, head = '', tail = '']) => key.startsWith(head) && key.endsWith(tail))
  expect(Object.keys(en).filter((key) => !isNamed(key))).toEqual([])
})
