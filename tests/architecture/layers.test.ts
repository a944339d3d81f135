import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkTree } from '../../scripts/layers/check-tree.ts'
import { parseLayerTable } from '../../scripts/layers/layer-table.ts'

const projectRoot = path.join(import.meta.dirname, '../..')

/** A tiny project that keeps every rule; each test plants one violation in it. */
const cleanTree: Record<string, string> = {
  'src/shared/domain/noun.ts': `import { z } from 'zod'\nexport const Noun = z.string()\n`,
  'src/shared/domain/noun.test.ts': `import { it } from 'vitest'\nimport { Noun } from './noun.ts'\nit(Noun.parse(''), () => undefined)\n`,
  'src/main/deps.ts': `export type Deps = { now(): number }\n`,
  'src/main/app.ts': `import { createTokens } from './tokens/tokens-service.ts'\nexport const createApp = () => createTokens()\n`,
  'src/main/platform/files.ts': `import fs from 'node:fs'\nexport const size = (path: string) => fs.statSync(path).size\n`,
  'src/main/tokens/tokens-service.ts': `import { size } from '../platform/files.ts'\nexport type Tokens = { count: number }\nexport const createTokens = () => size\n`,
  'src/main/tokens/estimate.ts': `import type { Tokens } from './tokens-service.ts'\nimport { rate } from './rate.ts'\nexport const estimate = (t: Tokens) => t.count * rate\n`,
  'src/main/tokens/rate.ts': `export const rate = 0.6\n`,
  'resources/prompts/words.json': '{}',
  'src/main/drafting/words.ts': `import type words from '../../../resources/prompts/words.json'\nexport type Words = typeof words\n`,
  'src/main/drafting/fit.ts': `import type { Tokens } from '../tokens/tokens-service.ts'\nimport { estimate } from '../tokens/estimate.ts'\nexport const fit = (t: Tokens) => estimate(t)\n`,
  'src/main/drafting/fit.test.ts': `import { createTokens } from '../tokens/tokens-service.ts'\nimport { fake } from '../../../tests/fakes/fake.ts'\nfake(createTokens)\n`,
  'src/main/web-host/main.ts': `import { createApp } from '../app.ts'\ncreateApp()\n`,
  'src/preload/preload.ts': `import { contextBridge } from 'electron'\ncontextBridge.exposeInMainWorld('a', {})\n`,
  'src/renderer/main.tsx': `import { Button } from './ui/button.tsx'\nimport './ui/tokens.css'\nexport const App = () => <Button />\n`,
  'src/renderer/ui/button.tsx': `import { useState } from 'react'\nexport const Button = () => useState('')[0]\n`,
  'src/renderer/ui/tokens.css': `:root {}\n`,
  'src/renderer/api/api.ts': `export const api = 1\n`,
  'src/renderer/state/app-store.ts': `import { create } from 'zustand'\nexport const store = create\n`,
  'src/renderer/editor/editor.ts': `import { EditorState } from '@codemirror/state'\nexport const state = EditorState\n`,
  'src/renderer/features/takes/takes.tsx': `import { store } from '../../state/app-store.ts'\nexport const Takes = () => String(store)\n`,
  'src/renderer/features/files/files.tsx': `import { Button } from '../../ui/button.tsx'\nexport const Files = Button\n`,
  'electron/main.ts': `import { app } from 'electron'\nimport { createApp } from '../src/main/app.ts'\napp.once('ready', createApp)\n`,
  'electron/main.test.ts': `import { size } from '../src/main/platform/files.ts'\nsize('')\n`,
  'tests/fakes/fake.ts': `export const fake = (x: unknown) => x\n`,
}

let root: string

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'layers-'))
  for (const [file, text] of Object.entries(cleanTree)) plant(file, text)
  mkdirSync(path.join(root, 'docs'))
  cpSync(path.join(projectRoot, 'docs/architecture.md'), path.join(root, 'docs/architecture.md'))
})
afterEach(() => rmSync(root, { recursive: true }))

function plant(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
}

function found(): string[] {
  return checkTree(root).map(({ path: file, line, message }) => `${file}:${line} ${message}`)
}

describe('the layer rule', () => {
  it('finds nothing in a tree that keeps the rules', () => {
    expect(found()).toEqual([])
  })

  const electron = 'electron'
  it.each<[file: string, importLine: string, message: string]>([
    ['src/shared/domain/bad.ts', `import fs from 'node:fs'`, 'src/shared may not import node:fs'],
    ['src/shared/domain/bad.ts', `import { useState } from 'react'`, 'src/shared may not import react'],
    ['src/shared/domain/bad.ts', `import '../../main/deps.ts'`, 'src/shared may not import src/main/deps.ts'],
    ['src/main/bad.ts', `import { app } from '${electron}'`, 'src/main may not import electron'],
    ['src/main/bad.ts', `import { Button } from '../renderer/ui/button.tsx'`, 'src/main may never import'],
    ['src/main/tokens/bad.ts', `import React from 'react'`, 'src/main/tokens may not import react'],
    [
      'src/main/tokens/bad.ts',
      `import '../web-host/main.ts'`,
      'src/main/tokens may never import src/main/web-host/main.ts',
    ],
    [
      'src/main/tokens/bad.ts',
      `import words from '../../../resources/prompts/words.json'`,
      'src/main/tokens may not import resources/prompts/words.json',
    ],
    ['src/main/tokens/bad.ts', `import '../app.ts'`, 'src/main/tokens may never import src/main/app.ts'],
    ['src/main/web-host/bad.ts', `import '${electron}'`, 'src/main/web-host may not import electron'],
    ['src/preload/bad.ts', `import fs from 'node:fs'`, 'src/preload may not import node:fs'],
    ['src/preload/bad.ts', `import '../main/deps.ts'`, 'src/preload may never import'],
    [
      'src/renderer/bad.ts',
      `import { spawn } from 'node:child_process'`,
      'may not import node:child_process',
    ],
    [
      'src/renderer/bad.ts',
      `import { ipcRenderer } from '${electron}'`,
      'src/renderer may not import electron',
    ],
    [
      'src/renderer/editor/bad.ts',
      `import { createRoot } from 'react-dom/client'`,
      'may not import react-dom',
    ],
    ['src/renderer/editor/bad.ts', `import { create } from 'zustand'`, 'may not import zustand'],
    ['src/renderer/ui/bad.tsx', `import '../state/app-store.ts'`, 'may never import src/renderer/state'],
    [
      'src/renderer/features/takes/bad.tsx',
      `import { Files } from '../files/files.tsx'`,
      'src/renderer/features/takes may not import src/renderer/features/files/files.tsx',
    ],
    ['src/renderer/features/takes/bad.tsx', `import '../../api/api.ts'`, 'may never import src/renderer/api'],
    ['electron/bad.ts', `import '../src/preload/preload.ts'`, 'electron may never import'],
    ['src/renderer/bad.ts', `import './nowhere.ts'`, 'leads to no file'],
    ['src/shared/domain/bad.ts', `import './noun.test.ts'`, 'is a test'],
    ['src/elsewhere/bad.ts', `import 'zod'`, 'lies in no folder of the layer table'],
  ])('%s: %s', (file, importLine, message) => {
    plant(file, `// the violation is on the second line\n${importLine}\n`)
    expect(found()).toEqual([expect.stringContaining(message)])
    expect(found()[0]).toMatch(new RegExp(`^${file}:2 `))
  })

  it.each([
    `const fs = await import('node:fs')`,
    `export * from 'node:fs'`,
    `export { readFile } from 'node:fs'`,
    `import type { Stats } from 'node:fs'`,
    `type Stats = import('node:fs').Stats`,
    `import fs = require('node:fs')`,
    `const fs = require('node:fs')`,
    `import 'node:fs'`,
  ])('sees every kind of import: %s', (line) => {
    plant('src/renderer/bad.ts', `${line}\n`)
    expect(found()).toEqual(['src/renderer/bad.ts:1 src/renderer may not import node:fs'])
  })

  it('keeps a test inside its own layer', () => {
    plant('src/renderer/ui/bad.test.ts', `import '../../main/deps.ts'\n`)
    expect(found()).toEqual([
      expect.stringContaining('a test in src/renderer may not import src/main/deps.ts'),
    ])
  })
})

describe("a sibling's modules", () => {
  it.each<[name: string, sibling: string, reason: string]>([
    ['a service', `export const createRates = () => 1`, 'exports createRates, which makes a service'],
    ['Node itself', `import os from 'node:os'\nexport const cores = os.cpus()`, 'imports node:os'],
    ['a library', `import ws from 'ws'\nexport const socket = ws`, 'imports ws'],
    ['Node further on', `export { size } from '../platform/files.ts'`, 'imports src/main/platform/files.ts'],
  ])('may not be used for %s', (_name, sibling, reason) => {
    plant('src/main/tokens/rates.ts', `${sibling}\n`)
    plant('src/main/drafting/bad.ts', `import * as rates from '../tokens/rates.ts'\nexport const r = rates\n`)
    expect(found()).toEqual([expect.stringContaining(`src/main/tokens/rates.ts ${reason}`)])
  })

  it('may be used for a class that only computes', () => {
    plant('src/main/tokens/cutter.ts', 'export class Cutter {}\n')
    plant(
      'src/main/drafting/good.ts',
      `import { Cutter } from '../tokens/cutter.ts'\nexport const c = Cutter\n`,
    )
    expect(found()).toEqual([])
  })

  it('may lend types whatever they are', () => {
    plant('src/main/drafting/good.ts', `import { type Tokens } from '../tokens/tokens-service.ts'\n`)
    expect(found()).toEqual([])
  })
})

describe('size and names', () => {
  it('finds a file over 400 lines', () => {
    plant('src/shared/domain/long.ts', 'export {}\n'.repeat(401))
    expect(found()).toEqual(['src/shared/domain/long.ts:401 401 lines, limit 400: split it by noun'])
  })

  it.each([
    ['src/main/utils/thing.ts', 'export const a = 1', 'utils: name it'],
    ['src/main/tokens/token-helpers.ts', 'export const a = 1', 'token-helpers.ts: name it'],
    ['src/main/tokens/tokenCount.ts', 'export const a = 1', 'kebab-case'],
    ['src/main/tokens/count.ts', 'export class TokenManager {}', 'TokenManager: name it'],
    ['src/main/tokens/count.ts', 'export function openDesk() {}', 'openDesk: "desk" has a standard term'],
    ['src/main/tokens/count.ts', 'export const takenFields = 1', 'takenFields: "taken" has a standard term'],
    ['src/main/tokens/count.ts', 'export type Ahead = 1', 'Ahead: "ahead" has a standard term'],
    ['src/main/tokens/way-out.ts', 'export const a = 1', 'way-out.ts: "way" has a standard term'],
    ['src/main/tokens/count.ts', 'export type IToken = 1', 'IToken: types carry no I'],
  ])('finds a name that says nothing: %s %s', (file, text, message) => {
    plant(file, `${text}\n`)
    expect(found()).toEqual([expect.stringContaining(message)])
  })

  it('accepts the standard name of a comparison with a base, and longer words', () => {
    plant(
      'src/main/tokens/three-way.ts',
      'export const threeWayChunks = 1\nexport const alwaysMistaken = 1\n',
    )
    expect(found()).toEqual([])
  })
})

describe('circles and citations', () => {
  it('finds modules that need each other, and lets types go round', () => {
    plant('src/shared/domain/a.ts', `import { b } from './b.ts'\nexport const a = () => b\n`)
    plant('src/shared/domain/b.ts', `import { c } from './c.ts'\nexport const b = () => c\n`)
    plant('src/shared/domain/c.ts', `import type { a } from './a.ts'\nexport const c = (x: typeof a) => x\n`)
    expect(found()).toEqual([])
    plant('src/shared/domain/c.ts', `\nimport { a } from './a.ts'\nexport const c = () => a\n`)
    expect(found()).toEqual([
      'src/shared/domain/c.ts:2 a circle of imports: ' +
        'src/shared/domain/a.ts → src/shared/domain/b.ts → src/shared/domain/c.ts → src/shared/domain/a.ts',
    ])
  })

  it('finds two folders that need values of each other, and lets types and tests go both ways', () => {
    plant('src/shared/domain/a.ts', `import { b } from '../text/b.ts'\nexport const a = b\n`)
    plant(
      'src/shared/text/b.ts',
      `import type { c } from '../domain/c.ts'\nexport const b = (x: typeof c) => x\n`,
    )
    plant('src/shared/text/b.test.ts', `import { c } from '../domain/c.ts'\nc()\n`)
    plant('src/shared/domain/c.ts', `export const c = () => 1\n`)
    expect(found()).toEqual([])
    plant('src/shared/text/b.ts', `\nimport { c } from '../domain/c.ts'\nexport const b = c\n`)
    expect(found()).toEqual([
      'src/shared/domain/a.ts:1 src/shared/domain and src/shared/text import values of each other',
      'src/shared/text/b.ts:2 src/shared/text and src/shared/domain import values of each other',
    ])
  })

  it('counts folders beside each other with all that is below them', () => {
    plant('src/shared/domain/model/a.ts', `import { b } from '../../text/deep/b.ts'\nexport const a = b\n`)
    plant('src/shared/text/deep/b.ts', 'export const b = 1\n')
    plant('src/shared/text/c.ts', `import { d } from '../domain/d.ts'\nexport const c = d\n`)
    plant('src/shared/domain/d.ts', `import { e } from './model/e.ts'\nexport const d = e\n`)
    plant('src/shared/domain/model/e.ts', 'export const e = 1\n')
    expect(found()).toEqual([
      'src/shared/domain/model/a.ts:1 src/shared/domain and src/shared/text import values of each other',
      'src/shared/text/c.ts:1 src/shared/text and src/shared/domain import values of each other',
    ])
  })

  it('finds a comment or a document that cites what lies beside the repository, not code that reads it', () => {
    const beside = '../shared/'
    plant('src/shared/domain/a.ts', `export const a = '${beside}vectors'\n`)
    expect(found()).toEqual([])
    plant(
      'src/shared/domain/a.ts',
      `export const a = 1\n/**\n * As ${beside}spec says.\n */\nexport const b = 2\n`,
    )
    plant('docs/decisions/a.md', `# A\n\nSee ${beside}spec.\n`)
    plant('src/shared/domain/README.md', `See \`${beside}spec\`.\n`)
    plant('node_modules/a/README.md', `See ${beside}spec.\n`)
    const message = 'cites a path outside of the repository'
    expect(found()).toEqual([
      `docs/decisions/a.md:3 ${message}`,
      `src/shared/domain/a.ts:3 ${message}`,
      `src/shared/domain/README.md:1 ${message}`,
    ])
  })

  it('finds a document or a comment that cites a path on one machine', () => {
    for (const path of ['/work/notes', '/home/jo/notes', '/Users/jo/notes']) {
      plant('resources/prompts/en/a.md', `Runs in src/main/work/ or ~/work/.\nSee ${path}.\n`)
      plant('src/shared/domain/a.ts', `export const a = '${path}'\n// As (${path}) says.\n`)
      const message = 'cites a path outside of the repository'
      expect(found()).toEqual([
        `resources/prompts/en/a.md:2 ${message}`,
        `src/shared/domain/a.ts:2 ${message}`,
      ])
    }
  })
})

describe('the table', () => {
  it('is refused when it names what is neither code nor a group', () => {
    const table = '| folder | may import | never |\n|---|---|---|\n| `src/a` | Angular | |\n'
    expect(() => parseLayerTable(table)).toThrow('"Angular" is neither code nor a package group')
  })

  it('is missed when the page has none', () => {
    expect(() => parseLayerTable('# Architecture\n')).toThrow('no layer table')
  })
})
