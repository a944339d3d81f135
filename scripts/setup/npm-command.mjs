import { existsSync } from 'node:fs'

/** Under `npm start` npm says where it is; called directly, it is searched on the path. */
export function npmCommand() {
  const script = process.env.npm_execpath
  if (script?.endsWith('.js') && existsSync(script)) return { command: process.execPath, args: [script] }
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] }
}
