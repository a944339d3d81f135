/**
 * The module that `import 'electron'` loads in a utility process: without the main process's modules.
 *
 * Source: Electron, "Process Model", modules of the utility process.
 */
export const net = {}
export const systemPreferences = {}
