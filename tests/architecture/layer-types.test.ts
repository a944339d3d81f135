import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const projectRoot = path.join(import.meta.dirname, '../..')
const sharedGlobals = path.join(projectRoot, 'src/shared/globals.d.ts')
const compiler = path.join(projectRoot, 'node_modules/typescript/bin/tsc')

/** Lines that name a global of another place: each has one error. */
const foreign: [layer: string, line: string, name: string][] = [
  ['src/shared', 'document.title', 'document'],
  ['src/shared', 'process.cwd()', 'process'],
  ['src/shared', `Buffer.from('')`, 'Buffer'],
  ['src/main', 'document.title', 'document'],
  ['src/main', 'window.innerWidth', 'window'],
  ['src/preload', 'process.cwd()', 'process'],
  ['src/renderer', 'process.cwd()', 'process'],
  ['src/renderer', `Buffer.from('')`, 'Buffer'],
  ['electron', 'document.title', 'document'],
]

const own: [layer: string, line: string][] = [
  ['src/shared', `new TextEncoder().encode('')`],
  ['src/main', 'process.cwd()'],
  ['src/preload', 'document.title'],
  ['src/renderer', 'document.title'],
  ['electron', 'process.cwd()'],
]

const layers = ['src/shared', 'src/main', 'src/preload', 'src/renderer', 'electron']
const untyped = '(x) => x'
const unchecked = '[1][0] satisfies number'

let folder: string
/** The compiler's output for each layer. Shape: lines. */
let outputs: Map<string, string[]>

beforeAll(async () => {
  // Inside the project, so that the layers' type packages are found.
  mkdirSync(path.join(projectRoot, '.cache'), { recursive: true })
  folder = mkdtempSync(path.join(projectRoot, '.cache/layer-types-'))
  outputs = new Map(await Promise.all(layers.map(async (layer) => [layer, await compile(layer)] as const)))
})
afterAll(() => rmSync(folder, { recursive: true }))

function linesOf(layer: string): string[] {
  const planted = [...foreign, ...own].flatMap(([of, line]) => (of === layer ? [line] : []))
  return [...planted, untyped, unchecked]
}

/** Compiles the planted lines of a layer, a module each, under its own tsconfig. */
async function compile(layer: string): Promise<string[]> {
  const place = mkdtempSync(path.join(folder, 'case-'))
  const config = {
    extends: path.join(projectRoot, layer, 'tsconfig.json'),
    // Only the shared layer declares the globals that it may use.
    include: ['planted-*.ts', ...(layer === 'src/shared' ? [sharedGlobals] : [])],
    exclude: [],
  }
  writeFileSync(path.join(place, 'tsconfig.json'), JSON.stringify(config))
  for (const [at, line] of linesOf(layer).entries())
    writeFileSync(path.join(place, `planted-${at}.ts`), `export const planted = ${line}\n`)
  const args = [compiler, '-p', place, '--pretty', 'false', '--singleThreaded']
  const { promise, resolve } = Promise.withResolvers<string>()
  execFile(process.execPath, args, (_error, stdout) => resolve(stdout))
  return (await promise).trim().split('\n')
}

/** Returns the errors of a planted line. */
function errorsOf(layer: string, line: string): string[] {
  const name = `planted-${linesOf(layer).indexOf(line)}.ts`
  return (outputs.get(layer) ?? []).filter((each) => each.includes(name) && / error TS/.test(each))
}

describe("a layer's own tsconfig", () => {
  it.each(foreign)('%s does not compile %s', (layer, line, name) => {
    expect(errorsOf(layer, line)).toEqual([expect.stringContaining(`Cannot find name '${name}'`)])
  })

  it.each(own)('%s compiles %s', (layer, line) => {
    expect(errorsOf(layer, line)).toEqual([])
  })

  it.each(layers)('%s is strict', (layer) => {
    const implicit = "Parameter 'x' implicitly has an 'any' type"
    expect(errorsOf(layer, untyped)).toEqual([expect.stringContaining(implicit)])
    expect(errorsOf(layer, unchecked)).toEqual([expect.stringContaining("'number | undefined'")])
  })

  it('has no other errors', () => {
    for (const layer of layers) {
      const expected = foreign.filter(([of]) => of === layer).length + 2
      expect(outputs.get(layer)?.filter((each) => / error TS/.test(each))).toHaveLength(expected)
    }
  })
})
