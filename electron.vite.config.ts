import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'

const inRepo = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const { version } = JSON.parse(readFileSync(inRepo('package.json'), 'utf8')) as { version: string }

/** Packages with native code, and Electron itself, stay outside; pure JavaScript is bundled. */
const external = [/^node:/, 'electron', 'better-sqlite3', 'node-llama-cpp', /^@vscode\/ripgrep/]

const entries = {
  'web-host': inRepo('src/main/web-host/start.ts'),
  engine: inRepo('src/main/engine/engine-child.ts'),
  download: inRepo('src/main/models/catalogue/download-child.ts'),
  electron: inRepo('electron/main.ts'),
}

/** Every engine that runs the window reads woff2: the older twin of each font file stays out. */
function withoutWoff(): Plugin {
  return {
    name: 'without-woff',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('@fontsource') || !id.endsWith('.css')) return null
      return code.replace(/, url\([^)]+\.woff\) format\('woff'\)/g, '')
    },
  }
}

type ModulesOf = { getModuleInfo(id: string): { importedIds: readonly string[] } | null }

/**
 * The files of what the hosts load before their first line: `first`, before compiled code is kept; `shared`, what engine
 * and downloads need too; `start`, all else. Finding, reading and linking a file costs a start half a millisecond.
 */
function startChunks() {
  let chunks: Map<string, string> | undefined
  return ['first', 'shared', 'start'].map((name, at) => ({
    name(id: string, modules: ModulesOf) {
      chunks ??= chooseChunks(modules)
      return chunks.get(id) === name ? name : null
    },
    // Of two groups that need a module, the one with the higher priority has it. Negative ones are not understood.
    priority: 3 - at,
  }))
}

function chooseChunks(modules: ModulesOf): Map<string, string> {
  const first = neededBy(modules, entries['web-host'])
  const children = neededBy(modules, entries.engine, entries.download)
  const main = inRepo('src/main/web-host/main.ts')
  const hosts = neededBy(modules, main)
  const chunks = new Map<string, string>()
  for (const id of hosts) chunks.set(id, children.has(id) ? 'shared' : 'start')
  for (const id of first) chunks.set(id, 'first')
  // `main.ts` waits until the host ends: what is loaded meanwhile must not wait for the file that it is in.
  for (const id of [main, ...Object.values(entries)]) chunks.delete(id)
  return chunks
}

/** The modules that these import, and theirs; not what is loaded later by `import()`. */
function neededBy(modules: ModulesOf, ...from: string[]): Set<string> {
  const needed = new Set(from)
  for (const id of needed) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) needed.add(next)
  return needed
}

export default defineConfig({
  main: {
    define: { __TSUGI_VERSION__: JSON.stringify(version) },
    build: {
      externalizeDeps: false,
      outDir: 'out/main',
      target: 'node22',
      minify: false,
      sourcemap: true,
      rollupOptions: {
        external,
        input: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file))),
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          codeSplitting: { groups: startChunks() },
          comments: { legal: true, annotation: false, jsdoc: false },
        },
      },
    },
  },
  preload: {
    build: {
      externalizeDeps: false,
      outDir: 'out/preload',
      minify: true,
      rollupOptions: {
        external: ['electron'],
        input: { preload: inRepo('src/preload/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: inRepo('src/renderer'),
    base: './',
    plugins: [react(), withoutWoff()],
    // The web host puts a fresh nonce in its place for every answer.
    html: { cspNonce: '__CSP_NONCE__' },
    build: {
      outDir: inRepo('out/renderer'),
      emptyOutDir: true,
      minify: true,
      cssMinify: true,
      // A font in the style sheet would be sent whether it is needed or not.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: { input: inRepo('src/renderer/index.html') },
    },
  },
})
