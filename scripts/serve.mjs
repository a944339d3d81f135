/** `npm run serve -- --project DIR --port N [--no-open]`: the web host alone. */
import { prepare, runScript } from './setup/prepare.mjs'
import { runWebHost } from './setup/web-host.mjs'

await runScript(async () => {
  const { node } = await prepare()
  return runWebHost(node, process.argv.slice(2))
})
