import type { RunFigures, RunPhase } from '../../shared/domain/drafting/run.ts'
import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import type { Clock } from '../deps.ts'
import type { RunReporter } from '../runs/run-registry.ts'
import type { Measures } from './kept-measures.ts'

const tickMs = 1_000
/** Upper limit of an estimate: it never reports that reading is done. */
const mostProgress = 0.99
/** Least tokens that are measured: fewer say more about delays than about reading. */
const leastTokens = 64

/**
 * Estimates how far a model has read where its server does not report it, by the speed that was measured before.
 *
 * Units: `speeds` are tokens per second. Shape: `heard` is called for each phase of a run; `tokens` are those that the model has to read.
 */
export function createReadingEstimate(
  deps: { clock: Clock; report: Pick<RunReporter, 'phase'>; speeds: Measures },
  profileId: string,
  tokens: number,
) {
  const { clock, report, speeds } = deps
  const speed = speeds.get(profileId)
  let readingSince: number | null = null
  let tookMs: number | null = null
  let timer: { cancel(): void } | undefined

  function measure(readTokens: number): void {
    if (tookMs !== null && tookMs > 0 && readTokens >= leastTokens)
      speeds.set(profileId, readTokens / (tookMs / 1000))
  }

  function tick(): void {
    if (readingSince === null || speed === undefined || tokens === 0) return
    const progress = Math.min(mostProgress, ((clock.now() - readingSince) / 1000) * (speed / tokens))
    report.phase('reading', progress, 'estimated')
    timer = clock.setTimeout(tick, tickMs)
  }

  return {
    heard(phase: RunPhase, progress: number | null): void {
      timer?.cancel()
      if (phase === 'reading') readingSince ??= clock.now()
      if (phase === 'reading' && progress === null && speed !== undefined)
        timer = clock.setTimeout(tick, tickMs)
      if (phase !== 'writing' || readingSince === null) return
      tookMs = clock.now() - readingSince
      measure(tokens)
      readingSince = null
    },
    /** Corrects the measured speed by the server's own count of what it read. */
    counted({ promptTokens, reusedTokens }: Pick<ModelUsage, 'promptTokens' | 'reusedTokens'>): void {
      if (tookMs === null || reusedTokens === null) return
      if (speed === undefined) speeds.delete(profileId)
      else speeds.set(profileId, speed)
      measure(promptTokens - reusedTokens)
    },
    /** Returns what was expected and what was measured. */
    result: (): NonNullable<RunFigures['reading']> => ({
      predictedTokens: tokens,
      predictedMs: speed === undefined ? null : Math.round((tokens / speed) * 1000),
      tookMs,
    }),
    end: (): void => timer?.cancel(),
  }
}
