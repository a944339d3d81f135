/** Files that documents and the READMEs of areas name exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const filesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => !path.includes('node_modules'))
const sources = ['src', 'electron', 'tests', 'scripts'].flatMap(filesUnder)
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...['where', 'architecture', 'development', 'security', 'glossary'].map((name) => `docs/${name}.md`),
  ...sources.filter((path) => path.endsWith('/README.md')),
]
const begins = /^(?:src|electron|tests|scripts|resources|docs|packaging|bench)\//

/** Expands `{a,b}`. */
function written(text: string): string[] {
  const [whole, list] = /\{([^{}]*)\}/.exec(text) ?? []
  if (whole === undefined || list === undefined) return [text]
  return list.split(',').flatMap((one) => written(text.replace(whole, one)))
}

/** Returns the whole paths and the names of modules in a document. */
function namedFiles(document: string): string[] {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].flatMap(([, name = '']) => written(name))
  return quoted.filter(
    (name) => !/[<*…]|\/X$|^electron\.d\.ts$/.test(name) && (begins.test(name) || /\.tsx?$/.test(name)),
  )
}

it.each(documents)('%s names files that are there', (document) => {
  const gone = namedFiles(document).filter((name) => {
    const isThere = existsSync(join(root, name)) || existsSync(join(root, dirname(document), name))
    return !isThere && (begins.test(name) || !sources.some((path) => path.endsWith(`/${name}`)))
  })
  expect(gone).toEqual([])
})

it('each guard of docs/security.md names the tests that attack it', () => {
  const rows = readFileSync(join(root, 'docs/security.md'), 'utf8')
    .split(/^## /m)
    .filter((section) => section.includes('| attacked by |'))
    .flatMap((section) => section.split('\n').filter((line) => /^\| (?!guard )/.test(line)))
  expect(rows.length).toBeGreaterThan(30)
  expect(
    rows.filter((row) => !/\|[^|]*`[^`|]+\.(?:test|spec)\.ts`[^|]*\|$|`shell-lines\.json`[^|]*\|$/.test(row)),
  ).toEqual([])
})

it('answers at least forty questions', () => {
  expect(namedFiles('docs/where.md').length).toBeGreaterThan(40)
})
