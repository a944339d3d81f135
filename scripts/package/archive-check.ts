import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** The same tool that packs. */
const asar: { listPackage(archive: string, options: { isPack: boolean }): string[] } = createRequire(
  import.meta.url,
)('@electron/asar')

/** One thing that a packed app must or must not hold. */
export type Finding = { isGood: boolean; text: string }

/** What must be there: the bundles, the window, and the data that the app reads. */
const needed = [
  '/package.json',
  '/LICENSE',
  '/out/main/electron.js',
  '/out/main/download.js',
  '/out/main/engine.js',
  '/out/preload/preload.cjs',
  '/out/renderer/index.html',
  '/resources/prompts/ja/draft-words.json',
  '/resources/prompts/en/draft-words.json',
  '/resources/prompts/ja/base.md',
  '/resources/prompts/en/base.md',
  '/resources/terms/gemma.ja.md',
  '/resources/sample/ja/資料/登場人物.md',
  '/resources/shell/commands.json',
  '/resources/shell/web-tree-sitter.wasm',
  '/resources/shell/tree-sitter-bash.wasm',
  '/resources/model-catalogue.json',
  '/resources/samplers.json',
  '/resources/templates/chatml.json',
  '/node_modules/better-sqlite3/package.json',
  '/node_modules/node-llama-cpp/package.json',
]

const unwanted: [string, RegExp][] = [
  ['sources in TypeScript', /\.(ts|tsx|mts|cts)$/],
  ['tests', /\.(test|spec)\.[cm]?js$|\/(tests?|__tests__)\//],
  ['source maps', /\.map$/],
  ['C or C++ sources', /\.(c|cc|cpp|h|hpp|gyp|gypi|cmake|bundle)$/],
  [
    'tools of the build',
    /^\/node_modules\/(electron|electron-builder|electron-vite|vite|vitest|typescript|@biomejs|oxlint|cmake-js|@playwright)(\/|$)/,
  ],
  ['Node for developers', /^\/node_modules\/node-(linux|win|darwin)-/],
  ['the web host', /web-host\.js$/],
  ['the project’s own sources', /^\/(src|electron|tests|scripts|bench|docs)\//],
]

/** Names of native files carry their target: `linux-x64`, `win32-arm64`, `mac-arm64-metal`. */
const targetInName = /(linux|linuxmusl|darwin|win32|mac|win)-(x64|arm64|armv7l|arm|ia32|riscv64|ppc64|s390x)/

/** Checks the files of `app.asar` and those that are unpacked beside it. `target`: such as `linux-x64`. */
export function checkArchive(archive: string, target: string): Finding[] {
  const files = asar.listPackage(archive, { isPack: false }).map((file) => file.replaceAll('\\', '/'))
  const present = new Set(files)
  const findings: Finding[] = needed.map((file) => ({ isGood: present.has(file), text: `holds ${file}` }))
  for (const [what, pattern] of unwanted) {
    const found = files.filter((file) => pattern.test(file))
    findings.push({ isGood: found.length === 0, text: `holds no ${what}${examples(found)}` })
  }
  const foreign = files.filter((file) => {
    const named = targetInName.exec(file)
    return named !== null && !/\.([cm]?js|json|txt)$/.test(file) && !isFor(named, target)
  })
  findings.push({
    isGood: foreign.length === 0,
    text: `holds native code for ${target} alone${examples(foreign)}`,
  })
  const native = files.filter((file) => file.endsWith('.node'))
  findings.push({ isGood: native.length >= 3, text: `holds ${native.length} native modules` })
  return findings
}

/** Units: bytes of the archive and of what is unpacked beside it, the runtime not counted. */
export function packedSize(archive: string, listFiles: (folder: string) => string[]): number {
  const unpacked = listFiles(`${archive}.unpacked`)
  return [archive, ...unpacked].reduce((sum, file) => sum + statSync(file).size, 0)
}

function isFor([, system = '', arch]: RegExpExecArray, target: string): boolean {
  const names: Record<string, string> = { mac: 'darwin', win: 'win32' }
  return `${names[system] ?? system}-${arch}` === target
}

function examples(found: string[]): string {
  if (found.length === 0) return ''
  const more = found.length > 3 ? ` and ${found.length - 3} more` : ''
  return `: ${found
    .slice(0, 3)
    .map((file) => path.posix.normalize(file))
    .join(', ')}${more}`
}
