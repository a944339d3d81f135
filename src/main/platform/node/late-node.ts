/**
 * Modules of Node that the host's start does without. An `import` would load them before its first line: `tls` costs
 * 22 ms of processor time and 6 MB, the others 5 to 6 ms and 2 to 3 MB each, measured on Node 24.
 */
export const lateNode = {
  childProcess: () => process.getBuiltinModule('node:child_process'),
  https: () => process.getBuiltinModule('node:https'),
  tls: () => process.getBuiltinModule('node:tls'),
  workerThreads: () => process.getBuiltinModule('node:worker_threads'),
  zlib: () => process.getBuiltinModule('node:zlib'),
}

/** An `import` reads all exports, and one of them loads modules that compare and colour texts: 9 ms and 3 MB. */
export const { isDeepStrictEqual, parseArgs } = process.getBuiltinModule('node:util')
