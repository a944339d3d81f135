/**
 * A host that types into a document until it is killed; each line it prints is a count that it has accepted.
 *
 * Arguments: data folder, project folder. The file is `a.txt`; every keystroke adds one `あ` at its end.
 */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDocumentService } from '../../../src/main/documents/document-service.ts'
import { createLocalHistory } from '../../../src/main/documents/local-history.ts'
import { systemClock as clock } from '../../../src/main/platform/clock.ts'
import { nodeDisk as disk } from '../../../src/main/platform/files/disk.ts'
import { createFileWatcher } from '../../../src/main/platform/files/file-watcher.ts'
import { systemRandom as random } from '../../../src/main/platform/random.ts'
import { openStore } from '../../../src/main/store/store.ts'
import { silentLog as log } from '../silent-log.ts'

// The process will be killed: saves the compiled code for the next one now.
flushCompileCache()
const [dataDir = '', root = ''] = process.argv.slice(2)
const store = openStore(join(dataDir, 'tsugi.db'), { clock, random })
const service = createDocumentService({
  clock,
  random,
  log,
  disk,
  hostId: random.id(),
  watcher: createFileWatcher({ clock, disk, log }),
  history: createLocalHistory({ clock, repository: store.history }),
  unsaved: store.unsaved,
})
const target = { root, path: 'a.txt' }
let count = 0
for (;;) {
  await service.edit(target, (doc) => ({ from: doc.length, insert: 'あ' }), 'transfer')
  count++
  process.stdout.write(`${count}\n`)
  await sleep(10)
}
