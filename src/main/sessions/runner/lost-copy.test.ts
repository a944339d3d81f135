import { expect, it } from 'vitest'
import { type Stage, type StageOptions, setStage } from '../../../../tests/fakes/sessions/runner-stage.ts'
import type { ToolResultView } from '../../../shared/domain/session/tool-result.ts'

const ranInCopy: ToolResultView = {
  kind: 'command',
  line: 'npm run migrate',
  commandId: 'c',
  end: 'exited',
  exitCode: 0,
  signal: null,
  durationMs: 1,
  isCut: false,
  sandboxed: { files: [], ignored: [], left: [], changeSetId: '', isDeclined: false },
}

const callsOf = ({ session }: Stage) =>
  session.page({ limit: 50 }).items.flatMap((item) => (item.kind === 'call' ? item : []))

/** A session whose host ends while a command is asked about; returns its next host, which goes on. */
async function restarted(
  view: ToolResultView | null,
  options: StageOptions = {},
): Promise<{ next: Stage; reopened: string[] }> {
  const stage = setStage({ ...options, isDirect: true, isGated: ({ access }) => access === 'execute' })
  stage.play({ calls: [{ name: 'run', args: 'npm run migrate' }] })
  stage.say('go')
  await stage.idle()
  const [call] = callsOf(stage)
  stage.session.change(call?.itemId ?? '', 'call', { view })
  stage.session.flush()
  const next = stage.reopen()
  const reopened: string[] = []
  await next.runner.resume(async (calls) => {
    reopened.push(...calls.map(({ title }) => title))
    next.restoreGates(calls)
    const { gates } = next.session.state
    return calls.length > 0 ? [] : gates.map(({ gateId }) => ({ gateId, items: null }))
  })
  await next.idle()
  return { next, reopened }
}

it('a command whose copy went with the host that ended is not offered as one that has not run', async () => {
  const { next, reopened } = await restarted(ranInCopy)
  expect(reopened).toEqual([])
  expect(next.session.state.gates).toEqual([])
  expect(callsOf(next)).toMatchObject([{ state: 'refused', outcome: 'copy-lost', text: 'copy-lost' }])
  expect(next.session.log.at(-1)).toMatchObject({ kind: 'result', text: 'copy-lost' })
  // Neither the command nor the model goes on by itself.
  expect([next.ran, next.asked]).toEqual([[], []])
  expect(next.session.state.status).toBe('REQUIRES_USER_INPUT')
  expect(next.logged).toEqual([])
})

it('a copy that cannot be read is said to be gone, and the session opens', async () => {
  const error = new Error('no such mount')
  const { next, reopened } = await restarted(ranInCopy, { reopened: () => Promise.reject(error) })
  expect([reopened, next.session.state.gates]).toEqual([[], []])
  expect(callsOf(next)).toMatchObject([{ state: 'refused', outcome: 'copy-lost' }])
  expect(next.logged).toEqual([error])
})

it('a command that had not run is asked about again', async () => {
  const { next, reopened } = await restarted(null)
  expect(reopened).toEqual(['npm run migrate'])
  expect(next.session.state.gates).toHaveLength(1)
})
