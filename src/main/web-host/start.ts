import '../platform/node/guard-node.ts'
import '../platform/node/interpret-schemas.ts'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { dataFolderPath } from '../platform/files/data-folder.ts'
import { readCliOptions } from './cli-options.ts'

/**
 * The entry of the web host: Node keeps the compiled code of what is imported from here on, so that the next
 * start need not compile it again. In the data folder, which only the user can write, and not in the system's
 * folder for temporary files, where another user could have put other code.
 */
function keepCompiledCode(): void {
  try {
    const { dataDir } = readCliOptions(process.argv.slice(2), process.cwd())
    const own = dataDir ?? dataFolderPath({ platform: process.platform, env: process.env, home: homedir() })
    enableCompileCache(join(own, 'compiled'))
  } catch {
    // What is wrong with the command line is said below.
  }
}

keepCompiledCode()
await import('./main.ts')
