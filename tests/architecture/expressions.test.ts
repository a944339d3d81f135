/**
 * No regular expression looks for a run of characters at the end of a text: it backtracks from each place of every
 * other run, so that thirty thousand spaces in a foreign text block the host for seconds.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** A literal, or one of its alternatives, that is one repeated character or class before the end. */
const runAtEnd = /[(|/](?:\\[A-Za-z]|\\\W|\[(?:\\.|[^\]\\])+\]|[^\\/\s^])[+*]\$[)|/]/

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

it('takes the end of a text off in one pass (`withoutEnd`, `trimEnd`)', () => {
  const found = ['src/main', 'src/shared', 'electron'].flatMap(sources).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        runAtEnd.test(line) ? `${file.slice(root.length + 1)}:${at + 1}: ${line}` : [],
      ),
  )
  expect(found).toEqual([])
})

it.each([
  ["text.replace(/\\s+$/, '')", true],
  ["text.replace(/^\\n+|\\s+$/g, '')", true],
  ['/[. ]+$/.exec(name)', true],
  ['/\\/+$/', true],
  ['/(?:a|[)\\]]*$)/', true],
  ['/^[a-z]+$/', false],
  ['/\\.\\w+$/', false],
  ['/^(?:[a-z]+)$/', false],
])('finds such an expression: %s', (line, isFound) => {
  expect(runAtEnd.test(line)).toBe(isFound)
})
