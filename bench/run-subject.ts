/** Measures one subject in a process of its own, so that its memory and its compiled code are its own. */
import { subjects } from './subjects.ts'

const [name = '', ...flags] = process.argv.slice(2)
const load = subjects[name]
if (load === undefined) throw new Error(`no subject ${name}`)
const { measure } = await load()
const serverAt = flags.indexOf('--llama-server')
const report = await measure({
  isQuick: flags.includes('--quick'),
  llamaServer: serverAt < 0 ? null : (flags[serverAt + 1] ?? null),
})
process.send?.(report, () => process.disconnect())
