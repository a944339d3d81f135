import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { createLinuxSandbox } from '../../../src/main/sandbox/linux-sandbox.ts'
import { noSandbox, type Sandbox, type SandboxRun } from '../../../src/main/sandbox/sandbox.ts'
import type { SandboxStatus } from '../../../src/shared/domain/session/sandbox.ts'
import { diskWith } from '../disks/failing-disk.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { placeEmptyStore } from '../disks/test-store.ts'

let count = 0
/** Longer than a tick of a disk's clock, which has up to 10 ms. */
const tickMs = 20
const random = { next: () => 0.5, id: () => (++count + process.pid * 1e6).toString(16).padStart(32, '0') }
const log = {
  write: () => undefined,
  bug: (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
}

/** Shape: `kept` is what is kept of the trial between hosts. */
export function realSandbox(
  dataDir: string,
  options: { path?: string; kept?: { key: string | null } } = {},
): Sandbox {
  if (process.platform !== 'linux') return noSandbox(process.platform)
  const kept = options.kept ?? { key: null }
  return createLinuxSandbox({
    disk: nodeDisk,
    random,
    log,
    dataDir,
    home: homedir(),
    path: options.path ?? process.env.PATH ?? '',
    passed: {
      get: () => kept.key,
      set(key) {
        kept.key = key
      },
    },
  })
}

let known: Promise<SandboxStatus> | undefined
const trial: { key: string | null } = { key: null }

/** Whether this machine has a sandbox, found out once for a process; says why where it has none. */
export function sandboxHere(): Promise<SandboxStatus> {
  known ??= (async () => {
    const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'tsugi-test-')))
    try {
      const status = await realSandbox(dataDir, { kept: trial }).status()
      if (status.kind === 'none')
        console.warn(
          `no sandbox here (${status.part}: ${status.detail}): its tests are skipped; apt-get install bubblewrap`,
        )
      return status
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })()
  return known
}

/**
 * Creates a data folder for this test with a store that holds the trial of the sandbox as passed, as `sandboxHere` found
 * it. A host with an empty store repeats the trial, which starts Node and several shells behind the wall.
 */
export function triedDataDir(): string {
  const dataDir = tempFolder()
  placeEmptyStore(join(dataDir, 'tsugi.db'), trial.key ?? undefined)
  return dataDir
}

/** The real disk, except that the first copy of a folder cannot be mounted: a folder that the mount needs is removed. */
export function diskWithoutFirstCopy(dataDir: string): Disk {
  const top = join(dataDir, 'sandbox')
  let isFirst = true
  return diskWith({
    lstat(path) {
      // The host looks for this file once the folders of a run are there.
      if (isFirst && path === join(top, 'mask')) {
        isFirst = false
        for (const run of readdirSync(join(top, 'runs')))
          rmSync(join(top, 'runs', run, 'work'), { recursive: true })
      }
      return nodeDisk.lstat(path)
    },
  })
}

export type WalledRun = { run: SandboxRun; code: number | null; output: string }

/** A project with files, and a sandbox that runs lines in it. */
export async function sandboxedProject(files: Record<string, string> = {}) {
  const [dataDir, project] = [tempFolder(), tempFolder()]
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const sandbox = realSandbox(dataDir)
  return {
    project,
    dataDir,
    sandbox,
    /** Runs a line. `meanwhile` is called once the line has done its work, before the command ends. */
    async run(
      line: string,
      more: { masked?: string[]; timeoutMs?: number; limitProcesses?: number; meanwhile?: () => void } = {},
    ): Promise<WalledRun> {
      const runId = random.id()
      // A file that was written in the same tick of the disk's clock counts as changed during the run.
      await new Promise((resolve) => setTimeout(resolve, tickMs))
      const run = await sandbox.begin({
        runId,
        project,
        cwd: project,
        masked: more.masked ?? [],
        added: [],
        environment: { PATH: process.env.PATH ?? '', HOME: homedir() },
        limitBytes: 64 * 1024 ** 2,
        ...(more.limitProcesses === undefined ? {} : { limitProcesses: more.limitProcesses }),
      })
      onTestFinished(() => sandbox.remove(runId))
      const timeoutMs = more.timeoutMs ?? 60_000
      if (more.meanwhile === undefined) return { run, ...(await spawned(run, line, timeoutMs)) }
      const waiting = `${line}; touch /tmp/ready; until [ -e /tmp/go ]; do sleep 0.02; done`
      const ended = spawned(run, waiting, timeoutMs)
      await expect.poll(() => existsSync(join(run.folder, 'tmp', 'ready'))).toBe(true)
      more.meanwhile()
      writeFileSync(join(run.folder, 'tmp', 'go'), '')
      return { run, ...(await ended) }
    },
  }
}

function spawned(
  { wall, environment }: SandboxRun,
  line: string,
  timeoutMs: number,
): Promise<{ code: number | null; output: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; output: string }>()
  const child = spawn(wall.program, [...wall.args, 'bash', '-c', line], {
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const take = (chunk: Buffer): void => {
    if (output.length < 1_000_000) output += chunk.toString()
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), timeoutMs)
  child.once('close', (code) => {
    clearTimeout(timer)
    resolve({ code, output })
  })
  return promise
}
