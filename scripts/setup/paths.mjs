import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. `import.meta.dirname` is too young for the first releases of Node 20. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** @param {string} name */
export const inRoot = (name) => path.join(root, name)
