/**
 * `npm run bench -- [names…] [--quick] [--write] [--llama-server FILE]`: measures and prints every value beside its
 * baseline and goal.
 *
 * `--quick`: fewer cases. `--llama-server FILE`: the `model` subject compares with this program. `--write`: puts the
 * results into docs/performance.md, with the machine described.
 */
import { fork } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine } from './machine.ts'
import { markdownText, type Report, terminalText } from './report.ts'
import { subjects } from './subjects.ts'

const page = resolve(import.meta.dirname, '../docs/performance.md')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'llama-server': { type: 'string' },
  },
})
const names = positionals.length > 0 ? positionals : Object.keys(subjects)
const unknown = names.filter((name) => !(name in subjects))
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}; there are ${Object.keys(subjects).join(', ')}`)
  process.exit(2)
}

for (const name of names) {
  const machine = describeMachine()
  const report = await measureApart(name)
  if (report === undefined) continue
  console.log(`${terminalText({ ...report, about: [...report.about, machine] })}\n`)
  if (values.write) await writeSection(name, `${markdownText(report)}\n\n*${machine}*`)
}

/** Measures a subject in its own process. A failure shows in its output and the exit code; the others still run. */
function measureApart(name: string): Promise<Report | undefined> {
  return new Promise((done) => {
    const llamaServer = values['llama-server']
    const args = [
      name,
      ...(values.quick ? ['--quick'] : []),
      ...(llamaServer === undefined ? [] : ['--llama-server', resolve(llamaServer)]),
    ]
    const child = fork(resolve(import.meta.dirname, 'run-subject.ts'), args)
    let report: Report | undefined
    child.once('message', (message) => {
      report = message as Report
    })
    child.once('exit', (code) => {
      if (code !== 0 || report === undefined) {
        console.error(`${name} failed (${code})`)
        process.exitCode = 1
      }
      done(report)
    })
  })
}

async function writeSection(name: string, section: string): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [begin, end] = [`<!-- bench:${name} -->\n`, `\n<!-- /bench:${name} -->`]
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for ${name}`)
  await writeFile(page, `${text.slice(0, from + begin.length)}${section}${text.slice(to)}`)
}
