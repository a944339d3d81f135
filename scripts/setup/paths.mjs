import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. The first releases of Node 20 do not have `import.meta.dirname`. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** @param {string} name */
export const inRoot = (name) => path.join(root, name)
