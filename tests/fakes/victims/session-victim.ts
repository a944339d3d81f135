/**
 * A host that plays a session until it is killed: it sends a message whenever the session rests, and approves every
 * gate. Each line of its output is JSON of its observations.
 *
 * Arguments: data folder, project folder, the model's address, the session (empty: a new one), and `copy` where commands
 * run in a copy of the folder.
 */
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { servedModel } from '../servers/session-llama.ts'
import { openTestApp } from '../sessions/session-host.ts'

// The process will be killed: saves the compiled code for the next one now.
flushCompileCache()
const [dataDir = '', root = '', address = '', sessionId = '', where = ''] = process.argv.slice(2)
const model = servedModel(address)
const opened = await openTestApp({ dataDir, ...(sessionId === '' ? { model } : {}) })
const player = await opened.open({ root, sessionId: sessionId === '' ? null : sessionId })
if (where === 'copy') {
  const { api } = opened.app
  const context = { signal: new AbortController().signal }
  await api['sandbox.get']({ workId: player.workId, isTriedAgain: false }, context)
  await api['sandbox.set']({ workId: player.workId, isOn: true }, context)
}
print({ began: player.sessionId, gates: (await player.state()).openGates })
for (let count = 1; ; count++) {
  const { openGates } = await player.rest()
  const items = await player.items()
  print({ items: items.map(({ itemId }) => itemId), gates: openGates, bugs: opened.bugs })
  // Long enough to be killed while it waits.
  await sleep(60)
  if (openGates.length > 0) await player.answer('approve')
  else await player.say(`Go on, ${count}.`)
}

function print(seen: object): void {
  process.stdout.write(`${JSON.stringify(seen)}\n`)
}
