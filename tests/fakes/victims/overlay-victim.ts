/**
 * A host that works in an overlay and kills itself at its n-th operation on its private files; run by the fault test.
 *
 * Arguments: data folder, project folder, id of the host, number of the step.
 */
import { writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { contentHash } from '../../../src/main/platform/files/content-hash.ts'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { diskWith } from '../disks/failing-disk.ts'
import { changeSetRig } from '../rigs/change-set-rig.ts'
import { overlaysAt, plainOperations } from '../rigs/overlay-parts.ts'

// The process will be killed: saves the compiled code for the next one now.
flushCompileCache()
const [dataDir = '', root = '', hostId = '', fatal = ''] = process.argv.slice(2)
let steps = 0
const step = (): void => {
  steps++
  if (steps === Number(fatal)) process.kill(process.pid, 'SIGKILL')
}
const disk = diskWith({
  async makeFolder(path, mode) {
    await nodeDisk.makeFolder(path, mode)
    step()
  },
  async writeNew(path, bytes, options) {
    // Killed here, it leaves half of a file.
    writeFileSync(path, bytes.subarray(0, bytes.length / 2), { mode: options.mode })
    step()
    await nodeDisk.remove(path)
    await nodeDisk.writeNew(path, bytes, options)
  },
  async link(from, to) {
    await nodeDisk.link(from, to)
    step()
  },
  async remove(path) {
    step()
    await nodeDisk.remove(path)
  },
})
const { changeSets } = changeSetRig(dataDir)
const overlay = await overlaysAt({ dataDir, hostId, disk }).open({
  root,
  base: plainOperations({ root, changeSets }),
})
const { operations } = overlay
const bytes = Buffer.from('new')
await operations.apply([{ kind: 'write', path: 'a.txt', baseHash: contentHash('old'), bytes }], '')
await operations.glob('**', 10, new AbortController().signal)
await operations.apply([{ kind: 'move', path: 'a.txt', baseHash: contentHash('new'), to: 'deep/b.txt' }], '')
await operations.glob('**', 10, new AbortController().signal)
await overlay.discard()
process.stdout.write(`finished after ${steps}`)
