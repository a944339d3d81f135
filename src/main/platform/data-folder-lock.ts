import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { errorCode } from './disk.ts'

/** What a second start hands to the first: the folders and files of its command line, absolute. */
export type HandOver = { paths: string[] }

export type DataFolderLock =
  | {
      kind: 'owner'
      /**
       * From now on second starts are answered with `address`; those that wait already get it too.
       * `browserAddress` makes what each of them may put on a command line, where other users can read it.
       */
      announce(address: string, browserAddress?: () => string): void
      release(): Promise<void>
    }
  | { kind: 'handed-over'; address: string; browserAddress: string }

const SocketNote = z.object({ socket: z.string() })
const Request = z.object({ paths: z.array(z.string()) })
const Answer = z.object({ address: z.string(), browserAddress: z.string() })
type Answer = z.infer<typeof Answer>
const limitMessageBytes = 1_000_000
/** Longest path of a Unix socket that every system takes. Source: `sun_path` of macOS, 104 with its zero. */
const limitSocketPathBytes = 100

/**
 * Takes the data folder for this host, or hands `request` to the host that has it.
 *
 * The lock is a SQLite file in exclusive mode: the system drops it with the process, however that ends.
 * Errors: `host/in-use` with an empty address where the owner does not answer in `timeoutMs`.
 */
export async function lockDataFolder(options: {
  dataDir: string
  hostId: string
  request: HandOver
  onHandOver: (request: HandOver) => void
  timeoutMs?: number
}): Promise<DataFolderLock> {
  const { dataDir, request } = options
  const deadline = Date.now() + (options.timeoutMs ?? 10_000)
  for (;;) {
    const lock = tryLock(join(dataDir, 'host.lock'))
    if (lock !== undefined) return own(lock, options)
    const answer = await handOver(dataDir, request, deadline)
    if (answer !== undefined) return { kind: 'handed-over', ...answer }
    if (Date.now() >= deadline) throw new AppError({ code: 'host/in-use', address: '' })
    await sleep(100)
  }
}

function tryLock(path: string): Database.Database | undefined {
  const lock = new Database(path, { timeout: 0 })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE; COMMIT')
    return lock
  } catch (error) {
    lock.close()
    if (errorCode(error)?.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
}

async function own(
  lock: Database.Database,
  options: { dataDir: string; hostId: string; onHandOver: (request: HandOver) => void },
): Promise<DataFolderLock> {
  await removeLeftSocket(options.dataDir)
  const { path, remove } = socketPath(options.dataDir, options.hostId)
  const announced = Promise.withResolvers<() => Answer>()
  const server = listen(options.onHandOver, announced.promise)
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(path, done)
  })
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  await writeFile(notePath(options.dataDir), JSON.stringify({ socket: path }), { mode: 0o600 })
  return {
    kind: 'owner',
    announce: (address, browserAddress = () => address) =>
      announced.resolve(() => ({ address, browserAddress: browserAddress() })),
    release: async () => {
      await new Promise<void>((done) => server.close(() => done()))
      remove()
      lock.close()
    },
  }
}

/** A name that nobody can take first: in the private data folder, or with the host's id where that is too deep. */
function socketPath(dataDir: string, hostId: string): { path: string; remove: () => void } {
  if (process.platform === 'win32') {
    return { path: `\\\\.\\pipe\\tsugi-${hostId}`, remove: () => undefined }
  }
  const near = join(dataDir, 'host.sock')
  if (Buffer.byteLength(near) <= limitSocketPathBytes) {
    rmSync(near, { force: true })
    return { path: near, remove: () => rmSync(near, { force: true }) }
  }
  const folder = join(tmpdir(), `tsugi-${hostId}`)
  mkdirSync(folder, { mode: 0o700 })
  return { path: join(folder, 's'), remove: () => rmSync(folder, { force: true, recursive: true }) }
}

/** A host that was killed could not remove its socket's folder. */
async function removeLeftSocket(dataDir: string): Promise<void> {
  const left = parseJson(SocketNote, await readIfThere(notePath(dataDir)))?.socket
  if (left === undefined || process.platform === 'win32') return
  const folder = dirname(left)
  const isOurs = dirname(folder) === tmpdir() && /^tsugi-[0-9a-f]{32}$/.test(basename(folder))
  if (isOurs) rmSync(folder, { force: true, recursive: true })
}

function listen(onHandOver: (request: HandOver) => void, answer: Promise<() => Answer>): Server {
  return createServer((socket) => {
    let received = ''
    let isAnswered = false
    socket.setEncoding('utf8')
    socket.on('error', () => socket.destroy())
    socket.on('data', (part: string) => {
      received += part
      const end = received.indexOf('\n')
      if (received.length > limitMessageBytes) socket.destroy()
      if (end < 0 || isAnswered) return
      isAnswered = true
      const request = parseJson(Request, received.slice(0, end))
      if (request === undefined) return void socket.destroy()
      onHandOver(request)
      void answer.then((make) => socket.end(`${JSON.stringify(make())}\n`))
    })
  })
}

async function handOver(dataDir: string, request: HandOver, deadline: number): Promise<Answer | undefined> {
  const note = parseJson(SocketNote, await readIfThere(notePath(dataDir)))
  if (note === undefined) return undefined
  const answer = await ask(note.socket, `${JSON.stringify(request)}\n`, Math.max(1, deadline - Date.now()))
  return answer === undefined ? undefined : parseJson(Answer, answer)
}

/** The answer; undefined where nobody listens or the wait is over. */
function ask(path: string, message: string, timeoutMs: number): Promise<string | undefined> {
  return new Promise((done) => {
    let received = ''
    const socket = connect(path, () => socket.write(message))
    socket.setEncoding('utf8')
    socket.setTimeout(timeoutMs, () => socket.destroy())
    socket.on('data', (part: string) => {
      received += part
    })
    socket.on('error', () => done(undefined))
    socket.on('close', () => done(received === '' ? undefined : received))
  })
}

function notePath(dataDir: string): string {
  return join(dataDir, 'host.json')
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}

function parseJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
