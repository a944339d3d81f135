/** Makes `import 'electron'` mean the stand-in, and the process look like Electron's main process. */
import { registerHooks } from 'node:module'

const standIn = new URL('./electron-module.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === 'electron' || specifier === 'electron/main') {
      return { url: standIn, format: 'module-typescript', shortCircuit: true }
    }
    // Electron's name for the file system without archives; here there is no other.
    return nextResolve(specifier === 'original-fs' ? 'node:fs' : specifier, context)
  },
})

Object.defineProperty(process.versions, 'electron', { value: '45.4.1', enumerable: true })
Object.defineProperty(process, 'type', { value: 'browser' })
