/**
 * A host that is killed (`kill -9`, by itself) while a model writes a summary, once it has written `afterChars`
 * characters.
 *
 * Arguments: an empty folder, the model's address, `afterChars`.
 */
import { openLoreApp } from '../rigs/lore-app.ts'

const [home = '', address = '', afterChars = ''] = process.argv.slice(2)
const { api, context, workId } = await openLoreApp(home, address, { '000.txt': '　雨。\n', '001.txt': '' })
const targets = [{ kind: 'episode', path: '000.txt' } as const]
let written = 0
for await (const event of api['summary.make']({ workId, targets }, context)) {
  if (event.type === 'text') written += event.text.length
  if (written >= Number(afterChars)) process.kill(process.pid, 'SIGKILL')
}
