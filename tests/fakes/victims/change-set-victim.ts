/**
 * A process that applies one change set and kills itself at the n-th step; run by the crash test.
 *
 * Arguments: data folder, project folder, number of the step.
 */
import { flushCompileCache } from 'node:module'
import { contentHash } from '../../../src/main/platform/files/content-hash.ts'
import { changeSetRig } from '../rigs/change-set-rig.ts'

// The process will be killed: saves the compiled code for the next one now.
flushCompileCache()
const [dataDir = '', root = '', fatal = ''] = process.argv.slice(2)
let steps = 0
const { changeSets } = changeSetRig(dataDir, {
  onStep: () => {
    steps++
    if (steps === Number(fatal)) process.kill(process.pid, 'SIGKILL')
  },
})
await changeSets.apply({
  root,
  changes: [
    { kind: 'write', path: 'a.txt', baseHash: contentHash('a old'), bytes: Buffer.from('a new') },
    { kind: 'write', path: 'new/b.txt', baseHash: null, bytes: Buffer.from('b new') },
    { kind: 'move', path: 'c.txt', baseHash: contentHash('c'), to: 'moved/c.txt' },
    { kind: 'delete', path: 'd.txt', baseHash: contentHash('d') },
  ],
})
process.stdout.write(`finished after ${steps}`)
