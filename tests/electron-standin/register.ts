/** Makes `import 'electron'` load the stand-in, and the process look like Electron's main process. */
import { registerHooks } from 'node:module'
import { showArchivesAsFolders } from './archives.ts'

showArchivesAsFolders()

const originalFs = new URL('./original-fs.cjs', import.meta.url).href
const standIn = new URL('./electron-module.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === 'electron' || specifier === 'electron/main') {
      return { url: standIn, format: 'module-typescript', shortCircuit: true }
    }
    if (specifier === 'original-fs') return { url: originalFs, format: 'commonjs', shortCircuit: true }
    return nextResolve(specifier, context)
  },
})

Object.defineProperty(process.versions, 'electron', { value: '45.4.1', enumerable: true })
Object.defineProperty(process, 'type', { value: 'browser' })
