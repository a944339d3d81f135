/**
 * A process that accepts a speculation and kills itself at the n-th step of its change set, or at the n-th
 * operation on the disk; run by the crash tests.
 *
 * Arguments: data folder, project folder, `step` or `disk`, number. Prints the steps, and how many operations there
 * were, when it was not killed.
 */
import { flushCompileCache } from 'node:module'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { noAnswers } from '../../../src/main/speculation/accept/acceptable-link.ts'
import type { ApplyStep } from '../../../src/main/workspace/apply-change-set.ts'
import { acceptanceRig } from '../rigs/acceptance-rig.ts'
import { speculationOfCommand } from '../rigs/acceptance-turn.ts'

// The process will be killed: saves the compiled code for the next one now.
flushCompileCache()
const [dataDir = '', root = '', what = '', fatal = ''] = process.argv.slice(2)
const steps: ApplyStep[] = []
const counts = { step: 0, disk: 0 }
const at = (kind: 'step' | 'disk'): void => {
  counts[kind] += 1
  if (kind === what && counts[kind] === Number(fatal)) process.kill(process.pid, 'SIGKILL')
}
const disk = new Proxy(nodeDisk, {
  get(target, name, receiver) {
    const operation: unknown = Reflect.get(target, name, receiver)
    if (typeof operation !== 'function') return operation
    return (...args: unknown[]): unknown => {
      at('disk')
      return Reflect.apply(operation, target, args)
    }
  },
})
const onStep = (step: ApplyStep): void => {
  steps.push(step)
  at('step')
}
const rig = acceptanceRig({ dataDir, root, disk, onStep })
counts.disk = 0
const outcome = await rig.acceptance.accept(rig.play(speculationOfCommand), rig.into, noAnswers)
process.stdout.write(JSON.stringify({ step: outcome.step, steps, operations: counts.disk }))
