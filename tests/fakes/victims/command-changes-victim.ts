/**
 * A process that runs a line in a copy of a folder and takes over what it changed, and kills itself at the n-th step
 * after the line's end; run by the crash tests. A step is the moment before a change of the disk, after the start of a
 * process, before and after a setting of the store is written, and each step of the change set.
 *
 * Arguments: data folder, project folder, number of the step (0: none), line. Prints the names of the steps, when it was
 * not killed.
 */
import childProcess from 'node:child_process'
import files from 'node:fs'
import { flushCompileCache, syncBuiltinESMExports } from 'node:module'
import { commandChangesHost } from './command-changes-host.ts'

// The process will be killed: saves the compiled code for the next one now.
flushCompileCache()
const [dataDir = '', root = '', fatal = '', line = ''] = process.argv.slice(2)
const steps: string[] = []
let hasEnded = false
const at = (name: string): void => {
  if (!hasEnded) return
  steps.push(name)
  if (steps.length === Number(fatal)) process.kill(process.pid, 'SIGKILL')
}

type Operation = (...args: unknown[]) => unknown

/** Replaces a function of a Node module by one that also calls `before` or `after`, for all modules that import it. */
function watch(owner: object, name: string, when: { before?: Operation; after?: () => void }): void {
  const operation: Operation = Reflect.get(owner, name)
  Reflect.set(owner, name, (...args: unknown[]): unknown => {
    when.before?.(...args)
    const result = Reflect.apply(operation, owner, args)
    when.after?.()
    return result
  })
}

const changing = ['rename', 'unlink', 'rmdir', 'mkdir', 'chmod', 'symlink', 'link', 'utimes', 'rm']
for (const name of changing) watch(files.promises, name, { before: () => at(name) })
// Opening a file changes the disk only where the file is new.
watch(files.promises, 'open', { before: (_path, flags) => flags === 'wx' && at('open') })
for (const name of ['renameSync', 'chmodSync', 'unlinkSync']) watch(files, name, { before: () => at(name) })
watch(childProcess, 'spawn', { after: () => at('spawned') })
syncBuiltinESMExports()

const host = await commandChangesHost(dataDir, {
  onStep: (step) => at(`set ${step}`),
  onEnded() {
    hasEnded = true
    at('ended')
  },
  aroundSetting: (name) => at(name),
})
const command = {
  line,
  folder: root,
  timeoutMs: 60_000,
  isBackground: false,
  isReadOnly: false,
  isSandboxed: true,
}
const outcome = await host.commandsIn(root).execute(command, () => undefined, new AbortController().signal)
const commandChanges = outcome.sandboxed?.commandChanges
if (commandChanges == null) throw new Error(`nothing to take over: ${JSON.stringify(outcome)}`)
const plan = await commandChanges.plan()
commandChanges.keep({
  callId: 'call',
  command: { line, folder: '.' },
  result: { isOk: true, text: '', view: { kind: 'text' } },
})
const { left, failed } = await commandChanges.apply(plan, 'test')
at('taken over')
process.stdout.write(
  JSON.stringify({
    steps,
    left: [...plan.left.map(({ path }) => path), ...plan.conflicts, ...left, ...failed],
  }),
)
await host.close()
