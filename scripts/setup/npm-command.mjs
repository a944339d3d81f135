import { existsSync } from 'node:fs'

/** Returns the command of npm: the running one under `npm start`, else the one on the search path. */
export function npmCommand() {
  const script = process.env.npm_execpath
  if (script?.endsWith('.js') && existsSync(script)) return { command: process.execPath, args: [script] }
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] }
}
