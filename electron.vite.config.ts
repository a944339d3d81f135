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
