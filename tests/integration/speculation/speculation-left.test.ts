import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { SpeculationEvent } from '../../../src/shared/domain/session/speculation.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { openTestStore } from '../../fakes/disks/test-store.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'

const context = { signal: new AbortController().signal }

const run: SpeculationEvent = {
  speculationId: 'run',
  suggestionId: 'shown',
  sessionId: 's',
  at: 1,
  depth: 0,
  modelName: 'm',
  outcome: 'running',
  reason: null,
  isFinished: false,
  boundary: null,
  turnsUsed: 1,
  filesWritten: 0,
  toolUseCount: 0,
  durationMs: 0,
  hadPipelinedSuggestion: false,
  refusedHunks: 0,
  promptTokens: 0,
  reusedTokens: 0,
  completionTokens: 0,
}

it('a speculation that was going on when the host was killed is not shown as running by the next one', async () => {
  const dataDir = tempFolder()
  const store = openTestStore(join(dataDir, 'tsugi.db'))
  store.speculations.add(run)
  store.speculations.add({ ...run, speculationId: 'finished', outcome: 'completed', isFinished: true })
  store.close()
  const host = await scriptedHost([], { dataDir })
  const { events } = await host.app.api['speculation.list']({ limit: 9 }, context)
  expect(events).toMatchObject([
    { speculationId: 'finished', outcome: 'aborted', reason: 'interrupted', isFinished: true },
    { speculationId: 'run', outcome: 'aborted', reason: 'interrupted', isFinished: false },
  ])
})
