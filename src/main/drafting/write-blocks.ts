import { delay } from '../../shared/delay.ts'
import { type EndlessDraft, type EndlessEnd, mostBlocks, type Run } from '../../shared/domain/drafting/run.ts'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import type { BegunDraft } from './draft-service.ts'
import type { EndlessDeps, LiveEndless } from './endless-drafts.ts'

/** Pause between two blocks. Source: the public implementation. */
const pauseMs = 500

type BlockDeps = EndlessDeps & {
  placeKey(workId: string): string
  tell(one: LiveEndless, change: Partial<EndlessDraft>): void
  end(one: LiveEndless, reason: EndlessEnd, error?: ErrorInfo | null): void
  /** Resolves with the run when it has ended. */
  ended(runId: string): Promise<Run>
}

/** Returns the next block's start: with the first prompt where the author wants that and the place is the same. */
function nextStart({ settings, places, placeKey }: BlockDeps, { request, draft, isMoved }: LiveEndless) {
  const { endlessGenerate, endlessIdea } = settings().drafting
  const choice = request.mode === 'idea' ? endlessIdea : endlessGenerate
  const isFrozen = (choice === 'manual' || request.takes !== undefined) && !isMoved
  const { seed: _, ...again } = request
  const endAt = places.positionOf(placeKey(request.workId))
  const isHere = request.endAt !== undefined || isFrozen
  return {
    ...again,
    ...(isHere && endAt !== undefined ? { endAt } : {}),
    ...(isFrozen && draft.fitted !== undefined ? { draft } : {}),
  }
}

/** Returns why no other block follows this one; null where one does. */
function reasonToEnd(one: LiveEndless, run: Run): EndlessEnd | null {
  if (one.stop.signal.aborted) return 'stopped'
  if (one.isMoved) return null
  if (run.state === 'failed') return 'failed'
  if (run.state !== 'finished') return 'stopped'
  if (run.text === '') return endWithoutText([run])
  if (one.shown.block === one.request.takes) return 'complete'
  return one.shown.block >= mostBlocks ? 'limit' : null
}

function endWithoutText(runs: readonly Run[]): EndlessEnd {
  return runs.some(({ stopReason }) => stopReason === 'scaffolding') ? 'headings' : 'empty'
}

/** Returns how many takes can be written at once, by the prompt of the first; 1 where it was not fitted. */
async function roomFor({ runs }: BlockDeps, { request, draft, stop, shown }: LiveEndless, begun: BegunDraft) {
  const { client } = draft.prepared.model
  if (request.takes === undefined || client.requestsAtOnce === undefined) return 1
  await begun.fitted
  const { fitted } = draft
  const first = runs.find(shown.runId)
  if (fitted === undefined || first?.state !== 'running') return 1
  const tokens = fitted.totalTokens + first.figures.maxTokens
  return client.requestsAtOnce(tokens, stop.signal).catch((error: unknown) => {
    // The take itself will fail with the same error.
    if (error instanceof AppError) return 1
    throw error
  })
}

/** Writes up to `room` takes at a time from the prompt of the first. A take that stops or fails ends no other. */
async function writeTogether(deps: BlockDeps, one: LiveEndless, first: Run, room: number): Promise<void> {
  const { signal } = one.stop
  const total = one.request.takes ?? 1
  const runs: Run[] = []
  let begun = 1
  const write = async (run: Run): Promise<void> => {
    one.writing.add(run.runId)
    runs.push(await deps.ended(run.runId))
    one.writing.delete(run.runId)
    deps.tell(one, { together: [...one.writing] })
  }
  const writer = async (run: Run | null): Promise<void> => {
    if (run !== null) await write(run)
    while (begun < total && !signal.aborted) {
      begun += 1
      const block = begun
      const { seed: _, ...request } = one.request
      const endAt = deps.places.positionOf(deps.placeKey(request.workId))
      const again = { ...request, ...(endAt !== undefined && { endAt }), draft: one.draft, beside: first }
      const next = await deps.drafts.begin(again, signal)
      if (signal.aborted) deps.runs.stop(next.run.runId)
      one.writing.add(next.run.runId)
      deps.tell(one, {
        block: Math.max(block, one.shown.block),
        runId: next.run.runId,
        together: [...one.writing],
      })
      await write(next.run)
    }
  }
  const others = Array.from({ length: Math.min(room, total) - 1 }, () => writer(null))
  const results = await Promise.allSettled([writer(first), ...others])
  const refused = results.find((result) => result.status === 'rejected')
  if (refused) throw refused.reason
  if (signal.aborted) return deps.end(one, 'stopped')
  const failed = runs.find(({ state }) => state === 'failed')
  if (failed) return deps.end(one, 'failed', failed.error)
  if (runs.every(({ state }) => state !== 'finished')) return deps.end(one, 'stopped')
  deps.end(one, runs.every(({ text }) => text === '') ? endWithoutText(runs) : 'complete')
}

/** Writes one block after another, or several at a time, until there is a reason to end. */
export async function writeBlocks(deps: BlockDeps, one: LiveEndless, begun: BegunDraft): Promise<void> {
  const { signal } = one.stop
  const room = await roomFor(deps, one, begun)
  if (room > 1) return writeTogether(deps, one, begun.run, room)
  for (;;) {
    const run = await deps.ended(one.shown.runId)
    const reason = reasonToEnd(one, run)
    if (reason !== null) return deps.end(one, reason, run.error)
    await delay(deps.clock, pauseMs, signal).catch(() => undefined)
    if (signal.aborted) return deps.end(one, 'stopped')
    const start = nextStart(deps, one)
    const block = one.isMoved ? 1 : one.shown.block + 1
    one.isMoved = false
    const next = await deps.drafts.begin(start, signal)
    one.draft = next.draft
    deps.tell(one, { block, runId: next.run.runId, placeId: next.run.placeId })
    // A take of the place was accepted, or all was stopped, while this block was being prepared.
    if (signal.aborted || one.isMoved) deps.runs.stop(next.run.runId)
  }
}
