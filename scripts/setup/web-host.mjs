import { inRoot } from './paths.mjs'
import { projectEnv } from './project-node.mjs'
import { runInForeground } from './run-child.mjs'

/** The folder in which the command was typed: npm itself goes to the project's. */
export const typedIn = () => process.env.INIT_CWD ?? process.cwd()

/** Runs the web host until it ends. It prints its address itself and opens the browser where there is one. */
export async function runWebHost(node, args) {
  const { code } = await runInForeground(node, [inRoot('out/main/web-host.js'), ...args], {
    cwd: typedIn(),
    env: projectEnv(node),
  })
  return code
}
