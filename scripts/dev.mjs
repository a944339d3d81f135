/** `npm run dev`: the app in the browser; what is changed in the sources shows at once. Options as for `npm start`. */
import { rmSync } from 'node:fs'
import { stampFile } from './setup/build.mjs'
import { inRoot } from './setup/paths.mjs'
import { prepare, runScript } from './setup/prepare.mjs'
import { projectEnv } from './setup/project-node.mjs'
import { runInForeground } from './setup/run-child.mjs'
import { typedIn } from './setup/web-host.mjs'

await runScript(async () => {
  const { node } = await prepare()
  // From here on `out/` follows the sources without being a build of them.
  rmSync(inRoot(stampFile), { force: true })
  const args = [inRoot('scripts/setup/dev-server.mjs'), ...process.argv.slice(2)]
  const { code } = await runInForeground(node, args, { cwd: typedIn(), env: projectEnv(node) })
  return code
})
