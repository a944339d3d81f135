import { lateNode } from '../../platform/node/late-node.ts'
import { memoryLimited, notExecutable, notFound } from '../../platform/node/memory-limited.ts'

/**
 * How a search ended. Shape: `problem` is ripgrep's message about a bad pattern. `hasDied`: the program ended
 * unexpectedly, so that its results are incomplete.
 */
export type RipgrepEnd = { isCut: boolean; problem: string | null; hasDied: boolean }

/** Where and what to search. Shape: `cwd` may be a pinned folder; paths in `args` begin with `./`. */
export type RipgrepRun = {
  rgPath: string
  args: readonly string[]
  cwd: string
  /** Ends a record. */
  separator: '\n' | '\0'
  timeoutMs: number
  signal: AbortSignal
}

/** Longer records are dropped: no line of a text is as long. Units: bytes. */
const limitRecordBytes = 20_000_000
const limitProblemChars = 1_000

/** Options of every search: no user configuration, ignore files without a repository, too, no unreadable files. */
const commonArgs = ['--no-config', '--no-require-git', '--no-messages', '--color=never']

/**
 * Runs ripgrep and passes its records to `onRecord` one by one, until that returns false.
 *
 * Errors: throws the signal's reason when it is aborted, and Node's own where the program cannot be started.
 */
export function runRipgrep(run: RipgrepRun, onRecord: (record: string) => boolean): Promise<RipgrepEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<RipgrepEnd>()
  if (run.signal.aborted) {
    reject(run.signal.reason)
    return promise
  }
  const [program, before] = memoryLimited(run.rgPath)
  const child = lateNode.childProcess().spawn(program, [...before, ...commonArgs, ...run.args], {
    cwd: run.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  let isCut = false
  let complaint = ''
  const stop = (): void => {
    isCut = true
    child.kill('SIGKILL')
  }
  const timer = setTimeout(stop, run.timeoutMs)
  run.signal.addEventListener('abort', stop, { once: true })

  const records = splitRecords(run.separator, (record) => {
    if (!isCut && !onRecord(record)) stop()
  })
  child.stdout.on('data', (chunk: Buffer) => {
    if (!isCut) records.push(chunk)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < limitProblemChars) complaint += text
  })
  child.once('error', (error) => {
    clearTimeout(timer)
    run.signal.removeEventListener('abort', stop)
    reject(error)
  })
  child.once('close', (code) => {
    clearTimeout(timer)
    run.signal.removeEventListener('abort', stop)
    if (run.signal.aborted) return reject(run.signal.reason)
    if (code === notExecutable || code === notFound) return reject(new Error(complaint))
    // Found something: 0; nothing: 1; an error: 2.
    const hasDied = !isCut && (code === null || code > 2)
    const isRefused = code === 2 && !isCut && complaint !== ''
    resolve({
      isCut: isCut || hasDied,
      hasDied,
      problem: isRefused ? complaint.slice(0, limitProblemChars).trim() : null,
    })
  })
  return promise
}

function splitRecords(separator: string, onRecord: (record: string) => void): { push(chunk: Buffer): void } {
  const end = separator.charCodeAt(0)
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer): void => {
    size += part.length
    if (size <= limitRecordBytes) parts.push(part)
  }
  return {
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(end); at >= 0; at = chunk.indexOf(end, from)) {
        add(chunk.subarray(from, at))
        if (size <= limitRecordBytes) onRecord(Buffer.concat(parts).toString('utf8'))
        parts = []
        size = 0
        from = at + 1
      }
      add(chunk.subarray(from))
    },
  }
}
