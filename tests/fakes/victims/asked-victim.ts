/**
 * A host that is killed (`kill -9`, by itself) while the user is asked about what a command changed in a copy of the
 * folder; run by the crash tests. It sends one message, and approves once the approval is open.
 *
 * Arguments: data folder, project folder, the model's address, and the moment: `open` while the approval is open, else
 * `before` or `after` the n-th write of a kind to the store (`1 before asked`). Prints the session's id.
 */
import { flushCompileCache } from 'node:module'
import Database from 'better-sqlite3'
import { servedModel } from '../servers/session-llama.ts'
import { openTestApp } from '../sessions/session-host.ts'

// The process will be killed: saves the compiled code for the next one now.
flushCompileCache()
const [dataDir = '', root = '', address = '', fatal = ''] = process.argv.slice(2)
const die = (): void => void process.kill(process.pid, 'SIGKILL')
const counts = new Map<string, number>()
const at = (name: string): void => {
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  if (fatal === `${count} ${name}`) die()
}

/** Returns the kind of a write at which the process can be killed. */
function kindOf(sql: string, key: unknown): string | null {
  if (sql.includes('INTO settings') && key === 'sandbox-asked') return 'asked'
  return /UPDATE change_sets SET state/.test(sql) ? 'carried out' : null
}

const { prepare } = Database.prototype
Database.prototype.prepare = function watched(this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql)
  const run = statement.run as (...args: unknown[]) => Database.RunResult
  statement.run = (...args: unknown[]) => {
    const kind = kindOf(sql, args[0])
    if (kind !== null) at(`before ${kind}`)
    const result = run.apply(statement, args)
    if (kind !== null) at(`after ${kind}`)
    return result
  }
  return statement
} as typeof prepare

const model = servedModel(address)
const opened = await openTestApp({ dataDir, model })
const player = await opened.open({ root })
const { api } = opened.app
const context = { signal: new AbortController().signal }
await api['sandbox.get']({ workId: player.workId, isTriedAgain: false }, context)
await api['sandbox.set']({ workId: player.workId, isOn: true }, context)
process.stdout.write(player.sessionId)
await player.say('run it')
await player.rest()
if (fatal === 'open') die()
await player.approveAll()
