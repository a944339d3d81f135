/** Electron's name for the file system without archives: Node's own, as it was before `archives.ts`. */
module.exports = globalThis[Symbol.for('electron-standin.original-fs')]
