/** The host of a session is killed (`kill -9`) at random moments and started again on the same data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { sandboxHere, triedDataDir } from '../../fakes/rigs/real-sandbox.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import type { Answer, AskedRequest } from '../../fakes/servers/llama/answer.ts'
import { startSessionLlama } from '../../fakes/servers/session-llama.ts'
import {
  calls,
  editCall,
  justAnswer,
  noCalls,
  plan,
  runCall,
  scriptedMind,
  type Thought,
  workIn,
} from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'
import { storedSession } from '../../fakes/sessions/stored-session.ts'
import { childProgram } from '../../fakes/victims/child-program.ts'

const isSoak = process.env.TSUGI_SOAK === '1'
const kills = isSoak ? 200 : 2
/** A host is killed after 2 to `lines` + 1 lines of output and up to `mostMs` more. */
const life = { lines: 6, mostMs: 150, limitMs: 8_000 }
const here = await sandboxHere()
const victim = await childProgram('session-victim')
const startTimeoutMs = 30_000

describe('a session whose host is killed', () => {
  it(
    `${kills} times: is there to its last item, and nothing is carried out twice`,
    {
      timeout: isSoak ? 3_600_000 : 180_000,
    },
    () => killSeries('folder'),
  )

  it.skipIf(here.kind === 'none')(
    `${kills} times while its commands run in a copy: carries over each of them once or not at all`,
    { timeout: isSoak ? 3_600_000 : 180_000 },
    () => killSeries('copy'),
  )

  it('asks an open gate again, with the file untouched', async () => {
    const host = await scriptedHost(
      [
        workIn('PLANNING'),
        calls(['read_file', { path: 'a.txt' }]),
        plan('change it'),
        workIn('EXECUTION'),
        editCall('a.txt', 'one', 'two'),
        noCalls,
        { say: 'unread' },
      ],
      { files: { 'a.txt': 'one\n' } },
    )
    await host.say('Change it.')
    await host.rest()
    const before = await host.gate()
    const again = await host.restart()
    onTestFinished(() => again.close())
    await again.rest()
    const after = await again.gate()
    expect(after?.gate.calls).toEqual(before?.gate.calls)
    expect(again.read('a.txt')).toBe('one\n')
    await again.answer('approve')
    await again.rest()
    expect(again.read('a.txt')).toBe('two\n')
    expect((await again.items()).filter(({ kind }) => kind === 'gate')).toHaveLength(1)
    expect(again.bugs).toEqual([])
  })

  it('calls a command that it cut off interrupted, and does not run it again by itself', async () => {
    const host = await scriptedHost(
      [
        workIn('PLANNING'),
        plan('run it'),
        workIn('EXECUTION'),
        runCall('echo x >> ran.txt; sleep 20'),
        ...justAnswer('It was cut off.'),
      ],
      { files: { 'a.txt': 'one\n' } },
    )
    await host.say('Run it.')
    await host.rest()
    await host.answer('approve')
    const ran = join(host.root, 'ran.txt')
    while (!existsSync(ran) || readFileSync(ran, 'utf8') === '') await sleep(20)
    const again = await host.restart()
    onTestFinished(() => again.close())
    expect((await again.rest()).position.status).toBe('REQUIRES_USER_INPUT')
    await again.say('What happened?')
    await again.rest()
    expect((await again.items()).at(-1)).toMatchObject({ kind: 'answer', text: 'It was cut off.' })
    expect(again.read('ran.txt')).toBe('x\n')
    expect(again.bugs).toEqual([])
  })
})

/** Kills the hosts of one session, one after the other, whose commands run in the folder or in a copy of it. */
async function killSeries(where: 'folder' | 'copy'): Promise<void> {
  const random = seededRandom(20_261_122)
  const [dataDir, root] = [where === 'copy' ? triedDataDir() : tempFolder(), tempFolder()]
  writeFileSync(join(root, 'a.txt'), 'start\n')
  const mind = endlessMind()
  const llama = await startSessionLlama({ contextTokens: 65_536, answer: mind.answer })
  onTestFinished(() => llama.close())
  let sessionId = ''
  let known: string[] = []
  // On a busy machine the first hosts of a short series may be killed before the changes of any command are carried over.
  const isEmpty = (): boolean => where === 'copy' && logLines(root).length === 0
  for (let kill = 1; kill <= kills || isEmpty(); kill++) {
    const host = startVictim(dataDir, root, llama.address, sessionId, where)
    const began = await host.next('began')
    sessionId = String(began.began)
    await host.lines(2 + Math.floor(random() * life.lines))
    await sleep(random() * life.mostMs)
    await host.kill()

    const said = `kill ${kill}`
    const stored = storedSession(dataDir, sessionId)
    known = [...new Set([...known, ...host.seenItems()])]
    const there = new Set(stored.items.map(({ itemId }) => itemId))
    expect(
      known.filter((itemId) => !there.has(itemId)),
      said,
    ).toEqual([])
    expect(host.bugs(), said).toEqual([])
    const lines = logLines(root)
    expect(lines.length, said).toBe(new Set(lines).size)
  }
  expect(mind.made()).toBeGreaterThan(0)
  expect(llama.scriptErrors).toEqual([])
  if (where === 'folder') return
  expect(logLines(root)).not.toEqual([])
  // The next host removes the copies that killed hosts left; one that is asked about, with its approval.
  const runs = join(dataDir, 'sandbox', 'runs')
  const left = existsSync(runs) ? readdirSync(runs) : []
  const last = startVictim(dataDir, root, llama.address, sessionId, where)
  await last.next('items')
  const there = (): string[] => (existsSync(runs) ? readdirSync(runs) : [])
  const stays = (): string[] => there().filter((name) => left.includes(name))
  await expect.poll(stays, { timeout: startTimeoutMs }).toEqual([])
  await last.kill()
  expect(logLines(root).length).toBe(new Set(logLines(root)).size)
}

function logLines(root: string): string[] {
  const path = join(root, 'log.txt')
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
}

/** Creates a model that works for ever: every message leads to a plan and a command that writes its own line. */
function endlessMind() {
  let made = 0
  const thoughtOf = ({ schema, messages }: AskedRequest): Thought => {
    const before = JSON.stringify(messages.slice(messages.findLastIndex(({ role }) => role === 'user')))
    const turn = JSON.stringify(messages.slice(messages.findLastIndex(isGoOn)))
    if (schema !== null) return turn.includes('propose_plan') ? workIn('EXECUTION') : workIn('PLANNING')
    if (!turn.includes('propose_plan')) return plan(`step ${made}`)
    if (before.includes('submit_review') || turn.includes('run_command')) return noCalls
    made += 1
    return runCall(`echo token-${made} >> log.txt`)
  }
  return {
    made: () => made,
    answer: (request: AskedRequest): Answer => scriptedMind(thoughtOf(request)).answer(request),
  }
}

function isGoOn({ role, content }: { role: string; content?: unknown }): boolean {
  return role === 'user' && JSON.stringify(content).includes('Go on, ')
}

type Seen = Record<string, unknown>

function startVictim(dataDir: string, root: string, address: string, sessionId: string, where: string) {
  const child: ChildProcess = spawn(process.execPath, [victim, dataDir, root, address, sessionId, where], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen: Seen[] = []
  let errors = ''
  child.stderr?.on('data', (part) => {
    errors += String(part)
  })
  if (child.stdout === null) throw new Error('no output')
  createInterface({ input: child.stdout }).on('line', (line) => void seen.push(JSON.parse(line) as Seen))
  const gone = new Promise<void>((done) => child.once('close', () => done()))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  return {
    kill,
    async next(key: string): Promise<Seen> {
      for (const end = Date.now() + startTimeoutMs; Date.now() < end; await sleep(10)) {
        const found = seen.find((one) => key in one)
        if (found !== undefined) return found
        if (child.exitCode !== null) break
      }
      throw new Error(`the victim never said ${key}: ${errors}`)
    },
    async lines(count: number): Promise<void> {
      for (const end = Date.now() + life.limitMs; Date.now() < end && seen.length < count; ) await sleep(5)
    },
    seenItems: () => seen.flatMap(({ items }) => (Array.isArray(items) ? items.map(String) : [])),
    bugs: () => seen.flatMap(({ bugs }) => (Array.isArray(bugs) ? bugs : [])),
  }
}
