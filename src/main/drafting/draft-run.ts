import { filterIdea } from '../../shared/domain/drafting/idea-sections.ts'
import { Rewrite } from '../../shared/domain/drafting/rewrite.ts'
import { type Run, silentAfterMs } from '../../shared/domain/drafting/run.ts'
import type { Take, TakeEnd, TakeRecord } from '../../shared/domain/drafting/take.ts'
import { isAppError } from '../../shared/errors.ts'
import type { Clock } from '../deps.ts'
import { splitThinking } from '../models/completion/think-tags.ts'
import type { RunReporter } from '../runs/run-registry.ts'
import { createAnswer, type DraftAnswer, withoutReturns } from './draft-answer.ts'
import type { LoreFitted } from './draft-lore.ts'
import type { DraftDeps, PreparedDraft } from './draft-service.ts'
import type { Measures } from './kept-measures.ts'
import { draftRequest, outputTokens } from './prompt/draft-request.ts'
import { createReadingEstimate } from './reading-estimate.ts'
import { type PieceChance, uncertainWords } from './takes/uncertain-words.ts'

/** Dependencies and options of the part of a run that streams text into a take. */
export type DraftWriting = {
  deps: Pick<DraftDeps, 'takes' | 'store' | 'works' | 'clock' | 'places'>
  prepared: PreparedDraft
  report: RunReporter
  /** The group of several takes, as in `CompletionRequest`. */
  group: string | undefined
  /** True where another take of the same place is offered, so that this one is stored as put aside. */
  isBeside: boolean
  /** 0 … 2³¹−1. */
  seed: number
  fit: () => Promise<LoreFitted>
  /** Estimates what the model still has to read of a prompt. Units: tokens. */
  unread: (fitted: LoreFitted) => number
  /** Units: tokens per second. */
  speeds: Measures
  signal: AbortSignal
}

/**
 * Fits the prompt, sends it once and turns the answer into a take.
 *
 * The take is stored from its first text on; stopping, a failure or a crash keeps what was written.
 * Errors: `model/…`, `tokens/unreachable`; before any text nothing is stored but the run.
 */
export async function writeDraft(writing: DraftWriting): Promise<'finished' | 'stopped'> {
  const { deps, prepared, report, signal } = writing
  report.phase('counting', null)
  let stopReason: TakeEnd | null = null
  const answer = createAnswer(prepared, report)
  try {
    // Report a server that hangs long before its counting fails.
    const silence = deps.clock.setTimeout(() => report.phase('counting', null, 'silent'), silentAfterMs)
    const fitted = await writing.fit().finally(() => silence.cancel())
    report.placed(prepared.position, answer.join(fitted.prompt.suffix))
    if (prepared.begun) answer.add('')
    report.figures({ promptTokens: fitted.totalTokens })
    const store = createTakeWriter(writing, fitted)
    try {
      stopReason = await readAnswer(writing, fitted, answer, store.record)
      report.stopReason(stopReason)
    } finally {
      store.finish(stopReason)
    }
  } catch (error) {
    // Choosing another model while the prompt is counted stops the draft, as it does while the model writes.
    if (signal.aborted) return 'stopped'
    if (!isAppError(error, 'model/replaced')) throw error
    report.stopReason('replaced')
    return 'stopped'
  }
  return signal.aborted || stopReason === 'aborted' || stopReason === 'replaced' ? 'stopped' : 'finished'
}

async function readAnswer(
  { prepared, report, group, seed, signal, unread, speeds, deps: { clock } }: DraftWriting,
  fitted: LoreFitted,
  answer: DraftAnswer,
  record: () => void,
): Promise<TakeEnd> {
  const { model, settings, request } = prepared
  const isIdea = request.mode === 'idea'
  const marksWords = settings.marksUncertain && request.mode === 'generate'
  const chances: PieceChance[] = []
  const pace = createPace(clock, report)
  const cut = new AbortController()
  const answered = model.client.complete(
    {
      ...draftRequest({
        parts: fitted.prompt.parts,
        mode: request.mode,
        ideaTarget: request.ideaTarget,
        settings,
        template: model.template,
        words: prepared.frame.words,
        ...(request.rewrite && { passage: request.rewrite.original }),
      }),
      ...(prepared.begun && { maxTokens: prepared.begun.maxTokens }),
      sampler: model.sampler,
      seed,
      ...(marksWords && { tellsChances: true }),
      conversation: `draft ${request.workId}`,
      ...(group !== undefined && { group }),
      promptTokens: fitted.totalTokens,
      isPromptEstimated: fitted.isEstimate,
    },
    AbortSignal.any([signal, cut.signal]),
  )
  const estimate = createReadingEstimate({ clock, report, speeds }, model.profile.id, unread(fitted))
  try {
    for await (const event of splitThinking(answered)) {
      switch (event.type) {
        case 'phase':
          report.phase(event.phase, event.progress)
          estimate.heard(event.phase, event.progress)
          if (event.phase === 'writing') report.figures({ reading: estimate.result() })
          break
        case 'text':
          answer.add(event.text)
          pace.tick()
          record()
          if (answer.proseEnd() !== null) cut.abort()
          break
        case 'replace':
          answer.replace(event.text)
          record()
          break
        case 'chance':
          chances.push({ ...event, text: withoutReturns(event.text) })
          break
        case 'usage':
          estimate.counted(event.usage)
          report.figures({
            promptTokens: event.usage.promptTokens,
            reusedTokens: event.usage.reusedTokens,
            isReuseEstimated: event.usage.isReuseEstimated,
            completionTokens: event.usage.completionTokens,
            tokensPerSecond: event.usage.tokensPerSecond,
          })
          break
        case 'done':
          if (isIdea) answer.replace(filterIdea(answer.raw(), request.ideaTarget, prepared.frame.words))
          answer.finish()
          if (signal.aborted) return event.stopReason
          return answer.proseEnd() ?? (event.stopReason === 'aborted' ? 'replaced' : event.stopReason)
        // A draft is prose alone: thoughts are not shown, and no tools are offered that could be called.
        case 'reasoning':
        case 'tool-call':
          break
      }
    }
  } finally {
    estimate.end()
    // After a failure, too, held-back text is added, and a rewrite ends with the white space of its passage.
    answer.finish()
    if (chances.length > 0)
      report.uncertain(uncertainWords(report.run.text, prepared.begun?.text.length ?? 0, chances))
  }
  return signal.aborted ? 'aborted' : 'stop'
}

/**
 * Reports figures while the model writes: a piece of text is about one token; the model's own count comes at the end.
 *
 * Units: reported at most four times a second.
 */
function createPace(clock: Clock, report: RunReporter): { tick(): void } {
  let startedAt: number | undefined
  let saidAt = 0
  let completionTokens = 0
  return {
    tick() {
      const now = clock.now()
      startedAt ??= now
      completionTokens += 1
      if (now - saidAt < 250 || now === startedAt) return
      saidAt = now
      report.figures({ completionTokens, tokensPerSecond: (completionTokens * 1000) / (now - startedAt) })
    },
  }
}

const retryMs = 1_000

/**
 * Stores the take at its first text; its further text goes to the run's record until it ends.
 *
 * Where the disk is full the run goes on and its end tries once more. Errors: `file/disk-full` then.
 */
function createTakeWriter(writing: DraftWriting, fitted: LoreFitted) {
  const { deps, report, prepared, seed } = writing
  let isStored = false
  let triedAt = Number.NEGATIVE_INFINITY
  /** Returns the present position of the take, which moves while the author edits the text before it. */
  const place = (): Pick<Take, 'position' | 'placeFrom'> => {
    const moved = deps.places.placeOf(report.run.takeId)
    return moved ? { position: moved.position, placeFrom: moved.from } : { position: report.run.position }
  }
  const take = (): Take => ({
    takeId: report.run.takeId,
    workId: report.run.workId,
    path: report.run.path,
    mode: prepared.request.mode,
    ...(report.run.rewrite && { rewrite: report.run.rewrite }),
    ideaTarget: prepared.request.ideaTarget,
    placeId: report.run.placeId,
    task: fitted.prompt.task,
    text: report.run.text,
    ...(report.run.uncertain && { uncertain: report.run.uncertain }),
    lead: report.run.lead,
    ...place(),
    state: writing.isBeside ? 'dismissed' : 'pending',
    acceptedLength: 0,
    stopReason: null,
    modelName: report.run.modelName,
    isDemo: report.run.isDemo,
    promptTokens: report.run.figures.promptTokens,
    completionTokens: report.run.figures.completionTokens,
    tokensPerSecond: report.run.figures.tokensPerSecond,
    elapsedMs: deps.clock.now() - report.run.startedAt,
    createdAt: report.run.startedAt,
  })
  const recordOf = (): TakeRecord => ({
    take: take(),
    prompt: fitted.prompt.parts,
    rolls: prepared.draft.rolls.map(({ bodyTo: _, ...roll }) => roll),
    sampler: { ...prepared.model.sampler },
    seed,
  })
  const tryToStore = (): void => {
    const now = deps.clock.now()
    if (now - triedAt < retryMs) return
    triedAt = now
    try {
      deps.takes.add(recordOf())
      isStored = true
    } catch (error) {
      if (!isAppError(error, 'file/disk-full')) throw error
    }
  }
  return {
    record() {
      if (report.run.text === '') return
      if (!isStored) tryToStore()
      if (isStored) deps.store.runs.record(report.run)
    },
    finish(stopReason: TakeEnd | null) {
      // All of a stored take's text may have been removed since: its end is stored, too.
      if (report.run.text === '' && !isStored) return
      if (!isStored) deps.takes.add(recordOf())
      // The author may have decided about the take while it was written: keep the decision.
      const { state: _, acceptedLength: __, ...end } = take()
      deps.takes.update(end.takeId, { ...end, stopReason })
    },
  }
}

/** Returns the place of the newest take if it is here and nothing was accepted at it; else undefined: a new place. */
function placeOf({ request, position, begun }: PreparedDraft, deps: DraftDeps): string | undefined {
  if (begun) return begun.placeId
  const { workId, path, mode, ideaOf, rewrite } = request
  if (mode !== 'generate') return mode === 'idea' ? ideaOf : rewrite?.of
  const { takes } = deps.takes.list({ workId, path, mode, limit: 50 })
  const [last] = takes
  if (last === undefined || (deps.places.positionOf(last.takeId) ?? last.position) !== position)
    return undefined
  const isAccepted = takes.some((take) => take.placeId === last.placeId && take.acceptedLength > 0)
  return isAccepted || last.acceptedLength > 0 ? undefined : last.placeId || last.takeId
}

/** Dismisses undecided takes: one place shows one continuation, and earlier ones stay among the takes. */
function putAsidePending({ workId, path }: PreparedDraft['request'], deps: DraftDeps): void {
  const { takes } = deps.takes.list({ workId, path, mode: 'generate', limit: 50 })
  for (const take of takes) {
    if (take.state === 'pending') deps.takes.decide(take.takeId, { state: 'dismissed' })
    deps.places.drop(take.takeId)
  }
}

/** Returns a run that is about to begin; `beside`: a run that already writes at the same place. */
export function newRun(prepared: PreparedDraft, deps: DraftDeps, beside?: Run): Run {
  const { request, model, settings, position } = prepared
  const placeId = beside?.placeId ?? placeOf(prepared, deps)
  if (request.mode === 'generate' && beside === undefined) putAsidePending(request, deps)
  const takeId = deps.random.id()
  return {
    runId: deps.random.id(),
    kind: 'draft',
    workId: request.workId,
    path: request.path,
    takeId,
    mode: request.mode,
    ...(request.rewrite && { rewrite: Rewrite.parse(request.rewrite) }),
    ideaTarget: request.ideaTarget,
    placeId: placeId ?? takeId,
    state: 'running',
    phase: 'counting',
    position,
    lead: '',
    text: '',
    figures: {
      promptTokens: null,
      reusedTokens: null,
      isReuseEstimated: false,
      completionTokens: 0,
      maxTokens: outputTokens(request.mode, settings, request.rewrite?.original),
      tokensPerSecond: null,
      elapsedMs: 0,
    },
    modelName: model.modelName,
    isDemo: model.isDemo,
    error: null,
    startedAt: deps.clock.now(),
  }
}
