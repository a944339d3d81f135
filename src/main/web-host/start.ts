import '../platform/node/guard-node.ts'
import '../platform/node/interpret-schemas.ts'
import { accessSync, constants } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { dataFolderPath } from '../platform/files/data-folder.ts'
import { readCliOptions } from './cli-options.ts'

/**
 * Makes Node keep the compiled code of modules that are imported from here on, so that the next start need not compile
 * them again. The code is kept beside the build where the user can write there: whoever can change one can change the
 * other, and a new build begins without it. Otherwise it is kept in the data folder. The system's temporary folder is
 * never used, since another user could have put other code there.
 */
function keepCompiledCode(): void {
  try {
    enableCompileCache(join(writableBuild() ?? dataFolder(), 'compiled'))
  } catch {
    // Errors of the command line are reported by `main.ts`.
  }
}

function writableBuild(): string | null {
  try {
    accessSync(import.meta.dirname, constants.W_OK)
    return import.meta.dirname
  } catch {
    return null
  }
}

function dataFolder(): string {
  const { dataDir } = readCliOptions(process.argv.slice(2), process.cwd())
  return dataDir ?? dataFolderPath({ platform: process.platform, env: process.env, home: homedir() })
}

keepCompiledCode()
await import('./main.ts')
