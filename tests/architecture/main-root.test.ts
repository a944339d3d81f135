import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../../src/main')

/** Statements that decide or keep something: what wires services has none. */
const logic = /^\s*(?:let|if|else|for|while|switch|try|class)\b|\bnew (?:Map|Set)\b/

// `deps.ts` has types alone.
it('the files in the root of src/main construct, and decide nothing', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(5)
  const found = files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .flatMap((line, at) => (logic.test(line) ? [`${name}:${at + 1} ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})
