/**
 * `npm run package:check`: packs the built app with a stub runtime, without a network, and checks what came
 * out: fuses, contents, size, the .desktop and metainfo files, the deb, and that the packed app starts on the
 * stand-in and continues a page there.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { FuseState } from '@electron/fuses/dist/constants.js'
import { writeTinyGguf } from '../tests/fakes/tiny-gguf.ts'
import { checkArchive, type Finding, packedSize } from './package/archive-check.ts'
import { checkDeb } from './package/deb-check.ts'
import { checkDesktopEntry, desktopEntry } from './package/desktop-entry.ts'
import { checkMetainfo } from './package/metainfo.ts'
import { loadPackedNative } from './package/packed-engine.ts'
import { continuePage } from './package/packed-page.ts'
import { watchStart } from './package/packed-start.ts'
import { writeStubRuntime } from './package/stub-runtime.ts'

/** Maximum size of the packed app; raise it only with a reason in the commit. Units: bytes, without the runtime. */
const limitSizeBytes = 160_000_000

const root = path.resolve(import.meta.dirname, '..')
const work = path.join(root, '.cache/package-check')
const target = `linux-${process.arch}`
/** The text that the tiny model writes. */
const continuation = '吾輩は猫である'

const wantedFuses: [keyof typeof FuseV1Options, FuseState][] = [
  ['RunAsNode', FuseState.DISABLE],
  ['EnableCookieEncryption', FuseState.DISABLE],
  ['EnableNodeOptionsEnvironmentVariable', FuseState.DISABLE],
  ['EnableNodeCliInspectArguments', FuseState.DISABLE],
  ['EnableEmbeddedAsarIntegrityValidation', FuseState.ENABLE],
  ['OnlyLoadAppFromAsar', FuseState.ENABLE],
  ['GrantFileProtocolExtraPrivileges', FuseState.DISABLE],
]

if (!existsSync(path.join(root, 'out/main/electron.js'))) {
  console.error('The app is not built: run `npm run build` first.')
  process.exit(1)
}
const unpacked = pack()
const executable = path.join(unpacked, 'tsugi')
const archive = path.join(unpacked, 'resources/app.asar')
const findings: Finding[] = [...(await checkFuses()), ...checkArchive(archive, target), checkSize()]
findings.push(checkNative(), ...(await checkStart()))
const deb = checkDeb(root, unpacked)
findings.push(...deb.findings)
/** Checks that were skipped, each with the tool that is not installed. */
const skipped = [...deb.skipped]
const desktop = checkDesktopEntry(await desktopEntry(root))
if (desktop !== null) findings.push(desktop)
else skipped.push('the .desktop file: desktop-file-validate')
const metainfo = checkMetainfo(root)
if (metainfo !== null) findings.push(metainfo)
else skipped.push('the metainfo file: appstreamcli')

for (const { isGood, text } of findings) console.log(`${isGood ? 'ok    ' : 'FAILED'} ${text}`)
const failed = findings.filter(({ isGood }) => !isGood).length
for (const what of skipped) console.log(`skip   ${what} is not installed`)
console.log(`${findings.length - failed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)

function pack(): string {
  const runtime = path.join(work, 'runtime')
  const output = path.join(work, 'dist')
  const version = JSON.parse(
    readFileSync(path.join(root, 'node_modules/electron/package.json'), 'utf8'),
  ).version
  writeStubRuntime(runtime, { standIn: path.join(root, 'tests/electron-standin/electron'), version })
  rmSync(output, { recursive: true, force: true })
  const builder = path.join(root, 'node_modules/electron-builder/cli.js')
  const overrides = [
    `-c.electronDist=${runtime}`,
    `-c.electronVersion=${version}`,
    `-c.directories.output=${output}`,
  ]
  const args = [builder, '--linux', '--dir', `--${process.arch}`, '--publish=never', ...overrides]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
  return path.join(output, readdirSync(output).find((name) => name.endsWith('unpacked')) ?? '')
}

async function checkFuses(): Promise<Finding[]> {
  const wire = await getCurrentFuseWire(executable)
  return wantedFuses.map(([name, state]) => ({
    isGood: wire[FuseV1Options[name]] === state,
    text: `fuse ${name} is ${state === FuseState.ENABLE ? 'on' : 'off'}`,
  }))
}

function checkSize(): Finding {
  const sizeBytes = packedSize(archive, listFiles)
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  return {
    isGood: sizeBytes <= limitSizeBytes,
    text: `is ${megabytes(sizeBytes)} without the runtime, limit ${megabytes(limitSizeBytes)}`,
  }
}

function checkNative(): Finding {
  const problem = loadPackedNative(archive)
  return {
    isGood: problem === undefined,
    text: `loads SQLite and llama.cpp from what is packed${problem ? `: ${problem}` : ''}`,
  }
}

/** Starts the packed app with a work and a model of its own, and continues the work's page. */
async function checkStart(): Promise<Finding[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tsugi-packed-'))
  const [novel, model] = [path.join(folder, 'novel'), path.join(folder, 'tiny.gguf')]
  mkdirSync(novel)
  writeFileSync(path.join(novel, '01.txt'), '始まり\n')
  writeTinyGguf(model, { says: continuation })
  const args = [`--data=${path.join(folder, 'data')}`, '--lang=ja', '--remote-debugging-port=0', novel, model]
  const child = spawn(executable, args, {
    env: { ...process.env, ELECTRON_STANDIN_NODE: process.execPath },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { output, readyMs, memoryBytes, problem } = await watchStart(child, (devTools) =>
    continuePage(devTools, continuation),
  )
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  if (readyMs === undefined)
    return [{ isGood: false, text: `starts on the stand-in: ${output.slice(-2000)}` }]
  const memory = memoryBytes === undefined ? 'unknown' : `${Math.round(memoryBytes / 1e6)} MB`
  return [
    { isGood: true, text: `starts on the stand-in: page after ${readyMs} ms, main process ${memory}` },
    {
      isGood: problem === undefined,
      text: `continues a page with a GGUF file${problem ? `: ${problem}\n${output.slice(-3000)}` : ''}`,
    },
  ]
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}
