/** Makes `import 'electron'` mean the stand-in, and the process look like Electron's main process. */
import { registerHooks } from 'node:module'

const standIn = new URL('./electron-module.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === 'electron' || specifier === 'electron/main'
      ? { url: standIn, format: 'module-typescript', shortCircuit: true }
      : nextResolve(specifier, context),
})

Object.defineProperty(process.versions, 'electron', { value: '45.4.1', enumerable: true })
Object.defineProperty(process, 'type', { value: 'browser' })
