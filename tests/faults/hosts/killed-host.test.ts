/**
 * The host is killed (`kill -9`) at random moments while an author types and the model writes, and started
 * again on the same data folder; the window stays and goes on with each new host.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Take } from '../../../src/shared/domain/drafting/take.ts'
import { isAppError } from '../../../src/shared/errors.ts'
import type { TestHost } from '../../e2e/support/host.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { watchMachine } from '../../fakes/machine-delay.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { startTestHost } from '../support/host-process.ts'
import { openTestWindow, type TestDocument, type TestWindow } from '../support/test-window.ts'

const isSoak = process.env.TSUGI_SOAK === '1'
const kills = isSoak ? 250 : 2
const lifeMs = { least: 100, most: 1_600 }
/** Maximum loss of typing, and of a take: `docs/decisions/drafting.md`, "A work" and "Generating". */
const lostTypingMs = 1_000
const lostTakeMs = 1_000
const start = '本文\n'

describe('a host that is killed again and again', () => {
  it(`${2 * kills} times: loses at most the last second, tears nothing, and its window goes on`, {
    timeout: isSoak ? 3_600_000 : 300_000,
  }, async () => {
    await Promise.all([killAgainAndAgain(1), killAgainAndAgain(2)])
  })
})

async function killAgainAndAgain(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const [dataDir, root] = [tempFolder(), tempFolder()]
  const file = join(root, '01.txt')
  writeFileSync(file, start)
  writeFileSync(join(root, '02.txt'), '窓を開けると')
  const kobold = await startFakeKobold({ tokenMs: 15, contextTokens: 4096 })
  onTestFinished(() => kobold.close())

  let host = await startTestHost(dataDir)
  const window = await openTestWindow(host.link, root)
  await window.client['model.use']({ backend: 'koboldcpp', address: kobold.address })
  const document = await window.open('01.txt')
  const typist = new Typist(document)
  let kept: number[] = []

  for (let kill = 1; kill <= kills; kill++) {
    const life = lifeMs.least + random() * (lifeMs.most - lifeMs.least)
    const said = `kill ${kill} of seed ${seed} after ${Math.round(life)} ms`
    const machine = watchMachine()
    const stopTyping = typist.start()
    const take = followTake(window)
    await sleep(life)
    stopTyping()
    const killedAt = Date.now()
    // The host may have been delayed as much as timers and the disk were here.
    const lateMs = machine.since(killedAt - 2 * lostTypingMs)
    await Promise.all([host.kill(), machine.stop()])

    const numbers = wholeNumbers(readFileSync(file, 'utf8'))
    expect(missing(kept, numbers), `${said}: was on disk before`).toEqual([])
    const sure = typist.typedUntil(killedAt - lostTypingMs - lateMs)
    expect(missing(sure, numbers), `${said}: typed more than a second before`).toEqual([])
    expect(integrityOf(dataDir), said).toBe('ok')

    host = await startTestHost(dataDir)
    await window.follow(host.link)
    await expectTake(window, take, killedAt - lateMs, said)
    await document.synced()
    await window.client['document.save']({ documentId: document.documentId() })
    expect(readFileSync(file, 'utf8'), said).toBe(document.text())
    kept = wholeNumbers(document.text())
    expect(missing(numbers, kept), `${said}: lost by going on`).toEqual([])
  }
  expect(kept.length).toBeGreaterThan(kills)
  await expectSwept(dataDir, root, host)
}

const everyMs = 12

/** Types a rising number every few milliseconds, so that lost or damaged text is recognised. */
class Typist {
  #startedAt = 0
  #document: TestDocument
  #typed: { number: number; at: number }[] = []

  constructor(document: TestDocument) {
    this.#document = document
  }

  start(): () => void {
    this.#startedAt = Date.now()
    const timer = setInterval(() => {
      const number = this.#typed.length + 1
      this.#document.type(`${number}、\n`)
      this.#typed.push({ number, at: Date.now() })
    }, everyMs)
    return () => clearInterval(timer)
  }

  /** What was typed into the host of now. */
  typedUntil(to: number): number[] {
    return this.#typed.filter(({ at }) => at >= this.#startedAt && at <= to).map(({ number }) => number)
  }
}

/** The typed numbers of a text; fails where anything else stands in it. */
function wholeNumbers(text: string): number[] {
  expect(text).toMatch(/^本文\n(?:\d+、\n)*$/)
  const numbers = (text.match(/\d+/g) ?? []).map(Number)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  return numbers
}

function missing(wanted: readonly number[], found: readonly number[]): number[] {
  const all = new Set(found)
  return wanted.filter((number) => !all.has(number))
}

type WatchedTake = { takeId: string | null; seen: { text: string; at: number }[] }

/** Starts a run and keeps what the window saw of its text, and when. */
function followTake(window: TestWindow): WatchedTake {
  const watched: WatchedTake = { takeId: null, seen: [] }
  const follow = async () => {
    const { client, workId } = window
    const { run } = await client['draft.start']({ workId, path: '02.txt' })
    watched.takeId = run.takeId
    let text = ''
    for await (const event of client['run.watch']({ runId: run.runId })) {
      if (event.type === 'snapshot') text = event.run.text
      if (event.type === 'text') text += event.text
      watched.seen.push({ text, at: Date.now() })
    }
  }
  follow().catch((error: unknown) => {
    if (!isAppError(error, 'rpc/closed')) throw error
  })
  return watched
}

async function expectTake(
  { client, workId }: TestWindow,
  { takeId, seen }: WatchedTake,
  killedAt: number,
  said: string,
): Promise<void> {
  const { takes } = await client['take.list']({ workId, path: '02.txt' })
  const take: Take | undefined = takes.find((each) => each.takeId === takeId)
  const sure = seen.findLast(({ at }) => at <= killedAt - lostTakeMs)?.text ?? ''
  const last = seen.at(-1)?.text ?? ''
  expect(take?.text ?? '', said).toSatisfy((text: string) => text.startsWith(sure))
  if (take === undefined) return
  expect([take.state, take.stopReason, take.text.length > 0], said).toEqual(['pending', null, true])
  // The host may have been a little ahead of its window.
  expect(take.text.startsWith(last) || last.startsWith(take.text), said).toBe(true)
}

/** Returns SQLite's integrity check of a copy of the database and its write-ahead log. */
function integrityOf(dataDir: string): string {
  const copy = join(tempFolder(), 'tsugi.db')
  for (const end of ['', '-wal']) {
    if (existsSync(join(dataDir, `tsugi.db${end}`))) copyFileSync(join(dataDir, `tsugi.db${end}`), copy + end)
  }
  const db = new Database(copy)
  try {
    return String(db.pragma('integrity_check', { simple: true }))
  } finally {
    db.close()
  }
}

/**
 * A host that is killed between writing and renaming leaves a temporary file. A later one removes it once it is old
 * enough that no other host can still use it.
 */
async function expectSwept(dataDir: string, root: string, last: TestHost): Promise<void> {
  await last.stop()
  const left = () => readdirSync(root).filter((name) => name.endsWith('.tmp'))
  const longAgo = new Date(Date.now() - 3_600_000)
  for (const name of left()) utimesSync(join(root, name), longAgo, longAgo)
  const host = await startTestHost(dataDir)
  await openTestWindow(host.link, root)
  expect(left()).toEqual([])
}
