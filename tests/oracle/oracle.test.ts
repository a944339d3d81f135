import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FakeLlamaServer } from '../fakes/servers/fake-llama-server.ts'
import { servedModel, startSessionLlama } from '../fakes/servers/session-llama.ts'
import { openTestApp, type TestApp } from '../fakes/sessions/session-host.ts'
import { canRun, layOut, readTasks, runTests } from './oracle-task.ts'
import { playTask } from './play-task.ts'
import { plainRequests, referenceMind } from './reference-mind.ts'

const context = { signal: new AbortController().signal }
const limitTaskMs = 30_000
const tasks = readTasks()
/** `TSUGI_SOAK` plays all of them; a usual run every sixth, which are of both languages. */
const playedTasks = tasks.filter((_, at) => process.env.TSUGI_SOAK !== undefined || at % 6 === 3)

let llama: FakeLlamaServer
let opened: TestApp
const folders: string[] = []

beforeAll(async () => {
  llama = await startSessionLlama()
  const model = servedModel(llama.address, 'reference')
  opened = await openTestApp({ dataDir: temporaryFolder(), model })
})
afterAll(async () => {
  await opened.app.close()
  await llama.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('the oracle run', () => {
  it('has enough tasks of both kinds', () => {
    const python = tasks.filter(({ language }) => language === 'python')
    expect(tasks.length).toBeGreaterThanOrEqual(24)
    expect(python.length).toBe(tasks.length / 2)
    expect(languagesOf(playedTasks)).toEqual(languagesOf(tasks))
  })

  // Half of them on the direct path; `npm run oracle` plays all of them there.
  for (const [at, task] of playedTasks.entries()) {
    const path = at % 2 === 0 ? 'direct' : 'decided'
    it(`${task.id}, ${path}`, { timeout: limitTaskMs }, async ({ skip }) => {
      if (!(await canRun(task))) skip('python3 is not on this machine')
      const root = temporaryFolder()
      layOut(task, root)
      const before = await runTests(task, root)
      expect(before.isPassed, 'the tests pass before anything is done').toBe(false)

      const mind = referenceMind(task, path)
      llama.options.answer = mind.answer
      await opened.app.api['settings.update'](
        { patch: { language: task.speaks, decideFirst: path === 'direct' ? 'auto' : 'always' } },
        context,
      )
      const player = await opened.open({ root })
      const played = await playTask(player, task, {
        canCommandsWrite: false,
        nudges: 0,
        limitMs: limitTaskMs,
      })
      const failed = (await player.items()).filter(
        (item) => item.kind === 'error' || (item.kind === 'call' && item.state !== 'done'),
      )
      expect(failed).toEqual([])
      expect(played.state.position).toEqual({ step: 'PLANNING', status: 'SUCCESS', waiting: 'none' })
      expect(mind.left).toEqual([])
      expect([played.problems, played.notWritten]).toEqual([[], []])
      expect(askedFor(played.gates)).toEqual(['change', 'command'])
      if (path === 'direct') expect(played.stats.requests).toBe(plainRequests(task))
      expect(opened.bugs).toEqual([])
      expect(llama.scriptErrors).toEqual([])

      const after = await runTests(task, root)
      expect(after.output, after.output).toSatisfy(() => after.isPassed)
    })
  }
})

const languagesOf = (some: typeof tasks) => new Set(some.map(({ language }) => language))

/** In ask mode everything that writes or runs has had its gate. */
function askedFor(gates: Awaited<ReturnType<typeof playTask>>['gates']): string[] {
  const calls = gates.flatMap((gate) => gate.calls)
  const kinds = calls.map(({ command, files }) =>
    command !== null ? 'command' : files.length > 0 ? 'change' : 'plan',
  )
  return [...new Set(kinds)].filter((kind) => kind !== 'plan').toSorted()
}

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tsugi-oracle-')))
  folders.push(folder)
  return folder
}
