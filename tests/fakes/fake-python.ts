import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Machine } from '../../src/main/starter/pip.ts'

/** How the fake machine's pip behaves. */
export type FakePip =
  /** Downloads everything. */
  | 'works'
  /** Writes half of the first wheel and waits to be stopped. */
  | 'hangs'
  | 'offline'
  | 'disk-full'
  /** The index does not have the package. */
  | 'unknown-package'
  /** Delivers a wheel that Python cannot read. */
  | 'broken-wheel'
  /** Python without pip; `apt-get` brings it. */
  | 'absent'

/**
 * Writes executables named `python3` and `apt-get` into `folder` and gives a machine whose `PATH` leads to them.
 *
 * Shape: a "wheel" is JSON, from member to text. `calls` of each run are appended to `folder/calls`.
 */
export function createFakeMachine(
  folder: string,
  pip: FakePip,
  wheels: Record<string, Record<string, string>>,
): Machine {
  mkdirSync(folder, { recursive: true })
  // Node reads the nearest `package.json` above a script; one of another project may call every script a module.
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }')
  writeFileSync(path.join(folder, 'wheels.json'), JSON.stringify(wheels))
  writeFileSync(path.join(folder, 'pip'), pip)
  for (const [name, script] of Object.entries({ python3: pythonScript, 'apt-get': aptScript })) {
    const file = path.join(folder, name)
    writeFileSync(file, `#!${process.execPath}\n${script}`)
    chmodSync(file, 0o755)
  }
  return { platform: 'linux', isRoot: true, env: { PATH: folder } }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const pythonScript = `
const fs = require('node:fs'), path = require('node:path')
const args = process.argv.slice(2)
fs.appendFileSync(path.join(__dirname, 'calls'), JSON.stringify(args) + '\\n')
const pip = fs.readFileSync(path.join(__dirname, 'pip'), 'utf8')
const fail = (text) => { process.stderr.write(text); process.exit(1) }
if (args[0] === '-c') {
  const [, , wheel, member] = args
  try {
    process.stdout.write(JSON.parse(fs.readFileSync(wheel, 'utf8'))[member])
  } catch {
    fail('zipfile.BadZipFile: File is not a zip file\\n')
  }
} else if (pip === 'absent') {
  fail('/usr/bin/python3: No module named pip\\n')
} else if (args.includes('--version')) {
  console.log('pip 23.0.1 from /usr/lib/python3/dist-packages/pip (python 3.11)')
} else if (pip === 'offline') {
  fail("WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution'\\nERROR: Could not find a version that satisfies the requirement x==1\\nERROR: No matching distribution found for x==1\\n")
} else if (pip === 'disk-full') {
  fail('ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\\n')
} else if (pip === 'unknown-package') {
  fail('ERROR: Could not find a version that satisfies the requirement x==1 (from versions: none)\\nERROR: No matching distribution found for x==1\\n')
} else {
  const wheels = JSON.parse(fs.readFileSync(path.join(__dirname, 'wheels.json'), 'utf8'))
  const target = args[args.indexOf('-d') + 1]
  for (const wanted of args.filter((arg) => arg.includes('=='))) {
    const [name, version] = wanted.split('==')
    const content = pip === 'broken-wheel' ? 'no zip' : JSON.stringify(wheels[name])
    const file = name.replaceAll('-', '_') + '-' + version + '-py3-none-any.whl'
    const temp = path.join(process.env.TMPDIR, file)
    fs.writeFileSync(temp, content.slice(0, content.length / 2))
    if (pip === 'hangs') { setInterval(() => {}, 1000); break }
    fs.writeFileSync(temp, content)
    fs.renameSync(temp, path.join(target, file))
  }
}
`

const aptScript = `
const fs = require('node:fs'), path = require('node:path')
const args = process.argv.slice(2)
fs.appendFileSync(path.join(__dirname, 'calls'), JSON.stringify(['apt-get', ...args]) + '\\n')
if (args[0] === 'install') fs.writeFileSync(path.join(__dirname, 'pip'), 'works')
`
