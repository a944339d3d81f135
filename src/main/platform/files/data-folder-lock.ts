import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { parseJson } from '../../../shared/text/json.ts'
import { inDataFolder } from './data-folder.ts'
import { errorCode, onErrorCode } from './disk.ts'
import { readSmallText } from './read-regular-file.ts'

/** The request of a second start to the running host: the folders and files of its command line, absolute. */
export type HandOver = { paths: string[] }

export type DataFolderLock =
  | {
      kind: 'owner'
      /**
       * Answers second starts with `address` from now on; those that wait already get it too.
       * `browserAddress` returns an address for a command line, which other users can read.
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
 * The lock is a SQLite file in exclusive mode: the system releases it when the process ends in any way. The lock
 * belongs to the file, not to its name: where the name is gone or refers to another file, the owner locks that one as
 * well, and a start that could lock it first asks whether a host still listens.
 * Errors: `host/in-use` with an empty address where the owner does not answer in `timeoutMs`;
 * `host/bad-data-folder`.
 */
export async function lockDataFolder(options: {
  dataDir: string
  hostId: string
  request: HandOver
  onHandOver: (request: HandOver) => void
  timeoutMs?: number
  /** Interval at which the owner checks whether the name still refers to its file. */
  checkMs?: number
}): Promise<DataFolderLock> {
  const { dataDir, request } = options
  const deadline = Date.now() + (options.timeoutMs ?? 10_000)
  for (;;) {
    const lock = await tryLock(lockPath(dataDir))
    if (lock !== undefined && (await isFree(dataDir, lock))) return own(lock, options)
    const answer = await handOver(dataDir, request, deadline)
    if (answer !== undefined) return { kind: 'handed-over', ...answer }
    if (Date.now() >= deadline) throw new AppError({ code: 'host/in-use', address: '' })
    await sleep(100)
  }
}

/** Locks the file; undefined where another process holds the lock. Errors: `host/bad-data-folder`. */
function tryLock(path: string): Promise<Database.Database | undefined> {
  return inDataFolder(path, () => {
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
  })
}

/**
 * Keeps the lock even where its file is replaced: locks a file that was put in its place, too. Returns a function that
 * releases all of them.
 */
function holdByInode(path: string, first: Database.Database, checkMs: number): () => void {
  const held = [first]
  let inode = inodeOf(path)
  let isChecking = false
  const timer = setInterval(() => {
    if (isChecking || inodeOf(path) === inode) return
    isChecking = true
    void tryLock(path)
      .then((lock) => {
        if (lock === undefined) return
        held.push(lock)
        inode = inodeOf(path)
      })
      // The folder itself may be gone; then no other host can start in it either.
      .catch(() => undefined)
      .finally(() => {
        isChecking = false
      })
  }, checkMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    for (const lock of held) lock.close()
  }
}

function inodeOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}

/** True where no host listens. Otherwise the lock was taken beside that of a running host, and is released. */
async function isFree(dataDir: string, lock: Database.Database): Promise<boolean> {
  let isInUse = true
  try {
    isInUse = await isListening(dataDir)
    return !isInUse
  } finally {
    if (isInUse) lock.close()
  }
}

/** Returns whether a host answers at the noted socket. */
async function isListening(dataDir: string): Promise<boolean> {
  const note = await readNote(dataDir)
  if (note === undefined) return false
  return new Promise((done) => {
    const socket = connect(note.socket, () => {
      socket.destroy()
      done(true)
    })
    socket.on('error', () => done(false))
  })
}

async function own(
  lock: Database.Database,
  options: { dataDir: string; hostId: string; checkMs?: number; onHandOver: (request: HandOver) => void },
): Promise<DataFolderLock> {
  const { dataDir } = options
  const announced = Promise.withResolvers<() => Answer>()
  const server = listen(options.onHandOver, announced.promise)
  let remove = (): void => undefined
  try {
    await removeLeftSocket(dataDir)
    const place = await inDataFolder(join(dataDir, 'host.sock'), () => socketPath(dataDir, options.hostId))
    remove = place.remove
    await inDataFolder(place.path, async () => {
      await new Promise<void>((done, failed) => {
        server.once('error', failed)
        server.listen(place.path, done)
      })
      if (process.platform !== 'win32') chmodSync(place.path, 0o600)
    })
    const note = notePath(dataDir)
    await inDataFolder(note, () => writeFile(note, JSON.stringify({ socket: place.path }), { mode: 0o600 }))
  } catch (error) {
    // A listening server would keep the process alive.
    server.close()
    remove()
    lock.close()
    throw error
  }
  const letGo = holdByInode(lockPath(dataDir), lock, options.checkMs ?? 1_000)
  return {
    kind: 'owner',
    announce: (address, browserAddress = () => address) =>
      announced.resolve(() => ({ address, browserAddress: browserAddress() })),
    release: async () => {
      await new Promise<void>((done) => server.close(() => done()))
      remove()
      letGo()
    },
  }
}

/** Returns a name that no other user can take first: in the private data folder, or in a private temporary folder. */
function socketPath(dataDir: string, hostId: string): { path: string; remove: () => void } {
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\tsugi-${hostId}`, remove: () => undefined }
  const near = join(dataDir, 'host.sock')
  if (Buffer.byteLength(near) <= limitSocketPathBytes) {
    rmSync(near, { force: true })
    return { path: near, remove: () => rmSync(near, { force: true }) }
  }
  const folder = join(tmpdir(), `tsugi-${hostId}`)
  mkdirSync(folder, { mode: 0o700 })
  return { path: join(folder, 's'), remove: () => rmSync(folder, { force: true, recursive: true }) }
}

/** Removes the socket's folder of a host that was killed. */
async function removeLeftSocket(dataDir: string): Promise<void> {
  const left = (await readNote(dataDir))?.socket
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
      const request = Request.safeParse(parseJson(received.slice(0, end))).data
      if (request === undefined) return void socket.destroy()
      onHandOver(request)
      void answer.then((make) => socket.end(`${JSON.stringify(make())}\n`))
    })
  })
}

async function handOver(dataDir: string, request: HandOver, deadline: number): Promise<Answer | undefined> {
  const note = await readNote(dataDir)
  if (note === undefined) return undefined
  const answer = await ask(note.socket, `${JSON.stringify(request)}\n`, Math.max(1, deadline - Date.now()))
  return answer === undefined ? undefined : Answer.safeParse(parseJson(answer)).data
}

/** Sends a message to a socket and returns the answer; undefined where no process listens or the wait is over. */
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

function lockPath(dataDir: string): string {
  return join(dataDir, 'host.lock')
}

/** Returns undefined where there is no readable note. Errors: `host/bad-data-folder`. */
async function readNote(dataDir: string): Promise<z.infer<typeof SocketNote> | undefined> {
  const path = notePath(dataDir)
  const text = await inDataFolder(path, () => readSmallText(path).catch(onErrorCode(['ENOENT'], '')))
  return SocketNote.safeParse(parseJson(text)).data
}

function notePath(dataDir: string): string {
  return join(dataDir, 'host.json')
}
