/** The host is killed (`kill -9`) around an approval of what a command changed in a copy, and started again. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallItem } from '../../../src/shared/domain/session/session-item.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { sandboxHere, triedDataDir } from '../../fakes/rigs/real-sandbox.ts'
import { startSessionLlama } from '../../fakes/servers/session-llama.ts'
import { justAnswer, readAndPlan, runCall, scriptedMind } from '../../fakes/sessions/scripted-mind.ts'
import { openTestApp } from '../../fakes/sessions/session-host.ts'
import { childProgram } from '../../fakes/victims/child-program.ts'

/** `TSUGI_SOAK` kills at two moments more. */
const isSoak = process.env.TSUGI_SOAK === '1'
const here = await sandboxHere()
const victim = await childProgram('asked-victim')
const line =
  "import subprocess; subprocess.call(['sh', '-c', 'echo ran; echo two >> a.txt; echo log >> x.log'])"

/** Kills a host at the moment, and starts the next one on its data. */
async function startedAfter(moment: string) {
  const [dataDir, root] = [triedDataDir(), tempFolder()]
  const files = { 'a.txt': 'one\n', 's.py': line, '.gitignore': '*.log\n' }
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  const mind = scriptedMind(...readAndPlan('a.txt'), runCall('python3 s.py'), ...justAnswer('It ran.'))
  const llama = await startSessionLlama({ answer: mind.answer })
  onTestFinished(() => llama.close())
  const { stdout, ...killed } = await new Promise<{ signal: unknown; stdout: string; stderr: string }>(
    (done) => {
      execFile(process.execPath, [victim, dataDir, root, llama.address, moment], (error, stdout, stderr) =>
        done({ signal: error?.signal, stdout, stderr }),
      )
    },
  )
  expect(killed).toEqual({ signal: 'SIGKILL', stderr: '' })
  const opened = await openTestApp({ dataDir })
  onTestFinished(() => opened.app.close())
  const player = await opened.open({ root, sessionId: stdout })
  await player.rest()
  const runs = join(dataDir, 'sandbox', 'runs')
  return {
    ...player,
    runsLeft: () => (existsSync(runs) ? readdirSync(runs) : []),
    logged: () => (existsSync(join(root, 'x.log')) ? player.read('x.log') : ''),
    async call(): Promise<CallItem | undefined> {
      const found = await player.items()
      return found.find((item): item is CallItem => item.kind === 'call' && item.tool === 'run_command')
    },
  }
}

describe.skipIf(here.kind === 'none')(
  'a host that is killed around the approval of what a command changed',
  () => {
    const before = ['one\n', '']
    const after = ['one\ntwo\n', 'log\n']

    it('asks again where the approval was open, and applies it once', { timeout: 120_000 }, async () => {
      const host = await startedAfter('open')
      expect((await host.gate())?.gate).toMatchObject({
        kind: 'effects',
        calls: [
          { files: [{ path: 'a.txt', addedLines: 1 }], effects: { ignored: [{ top: 'x.log', files: 1 }] } },
        ],
      })
      expect(await host.call()).toMatchObject({ state: 'asked', outcome: null })
      expect([host.read('a.txt'), host.logged()]).toEqual(before)
      await host.approveAll()
      expect([host.read('a.txt'), host.logged()]).toEqual(after)
      expect(await host.call()).toMatchObject({ state: 'done', outcome: null })
      expect(host.runsLeft()).toEqual([])
      expect(host.bugs).toEqual([])
    })

    const moments: [name: string, moment: string, found: string[]][] = [
      ['after it is recorded, before the approval is open', '1 after asked', before],
      ['at the end of the transaction that commits', '2 after asked', before],
      ['after that transaction', '1 before carried out', after],
    ]
    if (isSoak)
      moments.push(
        ['before the run is recorded', '1 before asked', before],
        ['at the beginning of the transaction that commits', '2 before asked', before],
      )
    it.each(moments)(
      'asks nothing and calls the command interrupted: %s',
      { timeout: 120_000 },
      async (_, moment, found) => {
        const host = await startedAfter(moment)
        expect(await host.gate()).toBeUndefined()
        expect(await host.call()).toMatchObject({ state: 'refused', outcome: 'interrupted' })
        expect([host.read('a.txt'), host.logged()]).toEqual(found)
        expect(host.runsLeft()).toEqual([])
        expect(host.bugs).toEqual([])
      },
    )
  },
)
