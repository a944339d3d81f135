import { spawn } from 'node:child_process'
import { lstat, mkdir, realpath, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import type { SandboxPart } from '../../shared/domain/session/sandbox.ts'
import { parseJson } from '../../shared/text/json.ts'
import type { Random } from '../deps.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import { type TrialFinding, type TrialTargets, trialScript } from './probe-script.ts'
import type { Sandbox, SandboxRun } from './sandbox.ts'

/** Why a trial did not pass. */
export type TrialFailure = { part: SandboxPart; detail: string }

const timeoutMs = 15_000
const limitDetail = 300
const limitOutput = 100_000

/**
 * Tests the sandbox with a test project: the changes of a command must appear in the overlay alone, and nothing that is
 * forbidden may succeed. Returns null where every part passed.
 *
 * The trial opens its own listeners and sockets and connects to them from here first, since a failed connection proves
 * nothing where none would succeed without the sandbox either.
 */
export async function probe(deps: {
  begin: Sandbox['begin']
  remove: Sandbox['remove']
  random: Random
  dataDir: string
}): Promise<TrialFailure | null> {
  const runId = deps.random.id()
  const folder = join(await realpath(deps.dataDir), 'sandbox', `trial-${runId.slice(0, 8)}`)
  const project = join(folder, 'project')
  const servers: Server[] = []
  try {
    await plant(folder, project)
    const targets = await openTargets(folder, project, servers)
    if (targets.ports.length === 0) return { part: 'network', detail: '127.0.0.1' }
    const run = await deps.begin({
      runId,
      project,
      cwd: project,
      masked: ['.env'],
      added: [dirname(process.execPath)],
      environment: {
        PATH: process.env.PATH ?? '',
        ELECTRON_RUN_AS_NODE: '1',
        TRIAL: JSON.stringify(targets),
      },
      limitBytes: 16 * 1024 ** 2,
    })
    const { code, output, errors } = await runTrial(run)
    const finding = parseJson(output.trim().split('\n').at(-1) ?? '') as TrialFinding | undefined
    if (finding === undefined) return notStarted(code, errors)
    return await judged(run, targets, finding)
  } finally {
    for (const server of servers) server.close()
    await deps.remove(runId)
    await rm(folder, { recursive: true, force: true })
  }
}

async function plant(folder: string, project: string): Promise<void> {
  await mkdir(project, { recursive: true, mode: 0o700 })
  const file = (path: string, text: string): Promise<void> =>
    nodeDisk.writeNew(path, new TextEncoder().encode(text), { mode: 0o600 })
  await file(join(project, 'text'), 'as it was')
  await file(join(project, '.env'), 'planted')
  await file(join(folder, 'key'), 'planted')
}

async function openTargets(folder: string, project: string, servers: Server[]): Promise<TrialTargets> {
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  const ports: [string, number][] = []
  for (const host of own === undefined ? ['127.0.0.1'] : ['127.0.0.1', own]) {
    const address = (await listen(servers, { host, port: 0 })).address()
    if (address === null || typeof address === 'string') continue
    // The machine may be unable to reach its own address; such a port would prove nothing.
    if (await isReached({ host, port: address.port })) ports.push([host, address.port])
  }
  // A socket's path has at most 107 bytes: relative names would need another working folder.
  const paths = [join(project, 's'), join(folder, 's'), `\0${folder.slice(-60)}`].filter(
    (path) => Buffer.byteLength(path) < 108,
  )
  const sockets: string[] = []
  for (const path of paths) {
    await listen(servers, { path })
    if (await isReached({ path })) sockets.push(path)
  }
  return {
    inside: join(project, 'text'),
    outside: [join(folder, 'written'), '/usr/tsugi-trial', '/etc/tsugi-trial'],
    secrets: [join(project, '.env'), join(folder, 'key')],
    ports,
    sockets,
  }
}

async function listen(
  servers: Server[],
  place: { host: string; port: number } | { path: string },
): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  servers.push(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(place, resolve)
  })
  server.unref()
  return server
}

function isReached(place: { host: string; port: number } | { path: string }): Promise<boolean> {
  const socket = connect(place)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  socket.setTimeout(1_000, () => resolve(false))
  return promise.finally(() => socket.destroy())
}

type TrialEnd = { code: number | null; output: string; errors: string }

async function runTrial({ wall, environment }: SandboxRun): Promise<TrialEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<TrialEnd>()
  const child = spawn(wall.program, [...wall.args, process.execPath, '-e', trialScript], {
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    if (output.length < limitOutput) output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < limitOutput) errors += chunk.toString()
  })
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, timeoutMs)
  child.once('error', reject)
  child.once('close', (code) => resolve({ code, output, errors }))
  return promise.finally(() => clearTimeout(timer))
}

/** Finds the step that the system refused by the words of its message. */
function notStarted(code: number | null, errors: string): TrialFailure {
  const detail = errors.trim().slice(0, limitDetail) || `exit ${code}`
  if (/unshare:/.test(errors)) return { part: 'namespaces', detail }
  if (code === 125 || /mount:/.test(errors)) return { part: 'overlay', detail }
  return { part: 'start', detail }
}

async function judged(
  run: SandboxRun,
  targets: TrialTargets,
  finding: TrialFinding,
): Promise<TrialFailure | null> {
  const failed = (part: SandboxPart, detail = ''): TrialFailure => ({ part, detail })
  const text = await readSmallText(targets.inside)
  const above = await readSmallText(join(run.folder, 'upper', 'text')).catch(() => '')
  if (!finding.wroteInside || above !== 'changed') return failed('overlay', 'not written')
  if (text !== 'as it was') return failed('outside', targets.inside)
  for (const path of targets.outside) if (await lstat(path).catch(() => null)) return failed('outside', path)
  if (finding.readSecret) return failed('secret')
  if (finding.unmounted) return failed('unmount')
  if (finding.reached) return failed('network')
  return finding.connected ? failed('socket') : null
}
