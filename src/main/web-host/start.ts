import '../platform/node/guard-node.ts'
import '../platform/node/interpret-schemas.ts'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { dataFolderPath } from '../platform/files/data-folder.ts'
import { readCliOptions } from './cli-options.ts'

/**
 * Makes Node keep the compiled code of modules that are imported from here on, so that the next start need not compile
 * them again. The code is kept in the data folder, which only the user can write, and not in the system's temporary
 * folder, where another user could have put other code.
 */
function keepCompiledCode(): void {
  try {
    const { dataDir } = readCliOptions(process.argv.slice(2), process.cwd())
    const own = dataDir ?? dataFolderPath({ platform: process.platform, env: process.env, home: homedir() })
    enableCompileCache(join(own, 'compiled'))
  } catch {
    // Errors of the command line are reported by `main.ts`.
  }
}

keepCompiledCode()
await import('./main.ts')
