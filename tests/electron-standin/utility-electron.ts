/**
 * What `import 'electron'` gives in a utility process: none of the main process's modules.
 *
 * Source: Electron, "Process Model", modules of the utility process.
 */
export const net = {}
export const systemPreferences = {}
