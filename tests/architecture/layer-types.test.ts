import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const projectRoot = path.join(import.meta.dirname, '../..')
const sharedGlobals = path.join(projectRoot, 'src/shared/globals.d.ts')
const compiler = path.join(projectRoot, 'node_modules/typescript/bin/tsc')

let folder: string

beforeAll(() => {
  // Inside the project, so that the layers' type packages are found.
  mkdirSync(path.join(projectRoot, '.cache'), { recursive: true })
  folder = mkdtempSync(path.join(projectRoot, '.cache/layer-types-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Compiles one planted line under a layer's own tsconfig. Shape: what the compiler complains of. */
async function compile(layer: string, line: string): Promise<string> {
  const place = mkdtempSync(path.join(folder, 'case-'))
  const config = {
    extends: path.join(projectRoot, layer, 'tsconfig.json'),
    // Only the shared layer declares the globals that it may use.
    include: ['planted.ts', ...(layer === 'src/shared' ? [sharedGlobals] : [])],
    exclude: [],
  }
  writeFileSync(path.join(place, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(path.join(place, 'planted.ts'), `export const planted = ${line}\n`)
  try {
    await promisify(execFile)(process.execPath, [
      compiler,
      '-p',
      place,
      '--pretty',
      'false',
      '--singleThreaded',
    ])
    return ''
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  }
}

describe("a layer's own tsconfig", () => {
  it.each([
    ['src/shared', 'document.title', "'document'"],
    ['src/shared', 'process.cwd()', "'process'"],
    ['src/shared', `Buffer.from('')`, "'Buffer'"],
    ['src/main', 'document.title', "'document'"],
    ['src/main', 'window.innerWidth', "'window'"],
    ['src/preload', 'process.cwd()', "'process'"],
    ['src/renderer', 'process.cwd()', "'process'"],
    ['src/renderer', `Buffer.from('')`, "'Buffer'"],
    ['electron', 'document.title', "'document'"],
  ])('%s does not compile %s', async (layer, line, name) => {
    const output = await compile(layer, line)
    expect(output).toContain(`Cannot find name ${name}`)
    expect(
      output
        .trim()
        .split('\n')
        .filter((each) => /error TS/.test(each)),
    ).toHaveLength(1)
  })

  it.each([
    ['src/shared', `new TextEncoder().encode('')`],
    ['src/main', 'process.cwd()'],
    ['src/preload', 'document.title'],
    ['src/renderer', 'document.title'],
    ['electron', 'process.cwd()'],
  ])('%s compiles %s', async (layer, line) => {
    expect(await compile(layer, line)).toBe('')
  })

  it.each(['src/shared', 'src/main', 'src/preload', 'src/renderer', 'electron'])(
    '%s is strict',
    async (layer) => {
      expect(await compile(layer, '(x) => x')).toContain("Parameter 'x' implicitly has an 'any' type")
      expect(await compile(layer, '[1][0] satisfies number')).toContain("'number | undefined'")
    },
  )
})
