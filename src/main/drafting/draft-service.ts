import type { AppSettings } from '../../shared/domain/app/app-settings.ts'
import type { DraftDetails, IdeaTarget, TakeMode } from '../../shared/domain/drafting/draft-details.ts'
import type { DraftAnchor, DraftPreview } from '../../shared/domain/drafting/draft-preview.ts'
import { type SettledFitMode, settledFitMode } from '../../shared/domain/drafting/draft-settings.ts'
import type { TakeBranch } from '../../shared/domain/drafting/next-words.ts'
import type { Rewrite } from '../../shared/domain/drafting/rewrite.ts'
import type { Run } from '../../shared/domain/drafting/run.ts'
import type { RolledValue, Take } from '../../shared/domain/drafting/take.ts'
import type { Sampler } from '../../shared/domain/model/sampler.ts'
import type { DocumentEvent } from '../../shared/domain/work/document.ts'
import { AppError } from '../../shared/errors.ts'
import { continuationPosition } from '../../shared/text/manuscript/manuscript-marks.ts'
import { languageOfText } from '../../shared/text/text-language.ts'
import type { Clock, Log, Random } from '../deps.ts'
import type { Priority } from '../models/client/model-client.ts'
import type { ActiveModel } from '../models/profiles/active-model.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import type { RunRepository } from '../store/app/run-repository.ts'
import type { SettingRepository } from '../store/app/setting-repository.ts'
import type { DraftLore, EntryTokens, LoreFitted } from './draft-lore.ts'
import type { DraftWords } from './draft-words.ts'
import type { FitCache } from './fitting/body-room.ts'
import { createPageReuse, keptMeasures } from './kept-measures.ts'
import { joinParts, type PromptFrame } from './prompt/build-prompt.ts'
import { outputTokens, tokenCounter } from './prompt/draft-request.ts'
import { type BodyFile, fixRoll, pickWith, type RolledDraft, rollDraft } from './prompt/roll-draft.ts'
import { passageOf } from './rewrite-passage.ts'
import type { PendingPlaces } from './takes/pending-places.ts'
import type { TakeService } from './takes/take-service.ts'

/** The document that a run continues. Units: `endAt` is a UTF-16 position of the open document. */
type DraftRequest = {
  workId: string
  path: string
  mode: TakeMode
  ideaTarget: IdeaTarget
  /** The idea (`placeId`) that one item is made again for. */
  ideaOf?: string | undefined
  endAt?: number | undefined
  /** Of the mode `rewrite`; `of` is the first take of the same selection (`placeId`). */
  rewrite?: (Rewrite & { of?: string | undefined }) | undefined
}

/** How a run is started. Shape: `draft` is an earlier run's, whose prompt and dice are sent once more. */
export type DraftStart = DraftRequest & {
  isEstimateAccepted: boolean
  seed?: number | undefined
  /** Goes on from part of a take. */
  branch?: TakeBranch | undefined
  /** Number of takes; absent: one, or without end. */
  takes?: number | undefined
  draft?: SentDraft | undefined
  /** Writes at the same time as this run of the same place, from its prompt. */
  beside?: Run | undefined
}
/** A run that has begun: `fitted` resolves when its prompt was fitted, or will not be. */
export type BegunDraft = { run: Run; draft: SentDraft; fitted: Promise<void> }
/** The prompt that a run sends; `fitted` once its tokens were counted. */
export type SentDraft = { prepared: PreparedDraft; fitted?: LoreFitted }

/** Place of a die: `field` and `path` as in `RolledValue`. */
type RolledPlace = Pick<RolledValue, 'field' | 'path'>
/** Units: UTF-16 positions. */
export type TextEdit = { from: number; to: number; insert: string }

/** The access of drafting to open works. Errors: `work/not-open`, `file/…`. */
export type DraftWorks = {
  details(workId: string): Promise<DraftDetails>
  /**
   * The manuscripts up to `path`, which is the last one, with their text as it is now.
   *
   * Errors: `file/not-found` and others of reading.
   */
  bodyFiles(workId: string, path: string, isOpenFileOnly: boolean): Promise<BodyFile[]>
  /** Yields the events of an open document, which stays open as long as they are read. */
  follow(workId: string, path: string, signal: AbortSignal): AsyncIterable<DocumentEvent>
  /** Changes a manuscript, or a field of the details, by an edit of its present text; one undo step. */
  edit(workId: string, place: RolledPlace, edit: (text: string) => TextEdit): Promise<void>
  anchor(workId: string): DraftAnchor | undefined
  setAnchor(workId: string, anchor: DraftAnchor): void
}

export type DraftDeps = {
  clock: Clock
  random: Random
  log: Log
  works: DraftWorks
  lore: DraftLore
  settings: () => AppSettings
  /** Errors: `model/none`. */
  activeModel: (signal: AbortSignal, role: 'main', priority: Priority) => Promise<ActiveModel>
  /** The language that the window shows, for a work that says nothing else. */
  windowLanguage: () => 'ja' | 'en'
  /** Words of ours that the model reads, by language. */
  words: Record<'ja' | 'en', DraftWords>
  /** A sampler by its preset; undefined where there is none of that name. */
  sampler: (presetId: string | null) => Sampler | undefined
  /** The preset that was chosen for a work; null: none. */
  workSampler: (workId: string) => string | null
  runs: RunRegistry
  store: { runs: RunRepository; settings: Pick<SettingRepository, 'get' | 'set'> }
  takes: TakeService
  places: PendingPlaces
}

/** Continues manuscripts and invents ideas. */
export type DraftService = ReturnType<typeof createDraftService>

/** A draft with its dice rolled and everything that its prompt is made of. */
export type PreparedDraft = {
  request: DraftRequest
  model: ActiveModel
  settings: AppSettings['drafting'] & { fitMode: SettledFitMode }
  frame: PromptFrame
  draft: RolledDraft
  /** Text that the answer continues, and how long it may become; the text is part of the take. */
  begun?: { text: string; lead: string; maxTokens: number; placeId: string; from?: number }
  /** The position of the continuation, and the text just before it. */
  position: number
  textBefore: string
  /** The text after the position, as in the file, where the author continues in the middle; else empty. */
  following: string
  /** The manuscripts up to the open one, in order: its place among them is the chapter for entries of lore. */
  files: readonly BodyFile[]
}

/** Loaded with the first prompt, to keep it out of the start of the host. */
const loadFitting = () => import('./draft-lore.ts')
const loadWriting = () => import('./draft-run.ts')

export function createDraftService(deps: DraftDeps) {
  /** Works with a start that has not become a run yet. */
  const starting = new Set<string>()
  const heldRolls = new Map<string, RolledValue[]>()
  const caches = new Map<string, FitCache>()
  const pages = createPageReuse(keptMeasures(deps.store.settings, 'drafting.readAgain'))
  const readSpeeds = keptMeasures(deps.store.settings, 'drafting.readSpeeds')
  const entryTokens = new Map<string, EntryTokens>()

  async function prepare(request: DraftRequest, priority: Priority, signal: AbortSignal) {
    const chosen = deps.settings().drafting
    const [active, details] = await Promise.all([
      deps.activeModel(signal, 'main', priority),
      deps.works.details(request.workId),
    ])
    // Read last: the author goes on writing while a slow server is asked what it is.
    const files =
      request.path === ''
        ? []
        : await deps.works.bodyFiles(request.workId, request.path, chosen.limitBodyToOpenFile)
    const ideaSampler = request.mode === 'idea' ? deps.sampler(chosen.ideaSamplerPresetId) : undefined
    const sampler = ideaSampler ?? deps.sampler(deps.workSampler(request.workId)) ?? active.sampler
    const model = { ...active, sampler }
    const { id, backend } = model.profile
    const fitMode = await settledFitMode(chosen.fitMode, backend, {
      readsAgain: pages.readsAgain(id),
      hasMemory: () => deps.lore.isChanging(request.workId, request.path),
    })
    const settings = { ...chosen, fitMode }
    const open = files.at(-1)?.text ?? ''
    const ended = request.endAt === undefined ? open : open.slice(0, request.endAt)
    const { rewrite } = request
    const position =
      rewrite?.from ?? (request.endAt === undefined ? continuationPosition(open) : ended.length)
    const anchor = settings.fitMode === 'anchored' ? deps.works.anchor(request.workId) : undefined
    const draft = rollDraft(
      { details, files: [...files.slice(0, -1), { path: request.path, text: ended }] },
      pickWith(deps.random),
      heldRolls.get(rollKey(request)) ?? anchor?.held ?? [],
    )
    heldRolls.set(rollKey(request), draft.rolls)
    const frame: PromptFrame = {
      mode: request.mode === 'idea' ? 'idea' : 'generate',
      form: details.promptForm,
      fields: draft.fields,
      rating: details.rating === 'default' ? settings.defaultRating : details.rating,
      settings,
      words: deps.words[promptLanguage(details, draft) ?? deps.windowLanguage()],
      template: model.template,
      ...(rewrite && { rewrite: passageOf(rewrite, open, request.path) }),
    }
    const textBefore = ended.slice(0, position)
    const isMiddle = request.mode === 'generate' && request.endAt !== undefined
    const following = isMiddle ? open.slice(ended.length) : ''
    return { request, model, settings, frame, draft, position, textBefore, following, files }
  }

  async function fit(prepared: PreparedDraft, isEstimateAccepted: boolean, signal: AbortSignal) {
    const { model, settings, request } = prepared
    const cacheKey = modelKey(prepared)
    const context = await model.client.contextWindow(signal)
    const cache = caches.get(cacheKey)
    const anchor = deps.works.anchor(request.workId)
    const fitRequest = {
      frame: prepared.frame,
      draft: prepared.draft,
      settings,
      // The author's text is never fitted to an assumed window: the page asks for its size.
      contextTokens: context?.source === 'assumed' ? undefined : context?.tokens,
      outputTokens: outputTokens(request.mode, prepared.settings, request.rewrite?.original),
      counter: tokenCounter(model, isEstimateAccepted),
      signal,
      ...(cache === undefined ? {} : { cache }),
      ...(anchor === undefined ? {} : { anchor }),
    }
    const { fitWithLore, followingFor, loreScan, loreStateOf } = await loadFitting()
    const following = await followingFor(prepared, fitRequest, signal)
    if (following !== undefined) fitRequest.frame = { ...fitRequest.frame, following }
    const matchIn = (chars: number) => deps.lore.match(request.workId, loreScan(prepared, chars))
    const story = request.mode === 'idea' ? null : await deps.lore.story(prepared)
    const known = entryTokens.get(model.profile.id) ?? new Map<string, number>()
    entryTokens.set(model.profile.id, known)
    const fitted = await fitWithLore(fitRequest, matchIn, loreStateOf(deps.lore, request.workId), {
      budgetShare: settings.loreBudgetPercent / 100,
      storyShare: settings.storyBudgetPercent / 100,
      scanChars: settings.loreScanChars,
      story,
      entryTokens: known,
    })
    if (fitted.cache === undefined) caches.delete(cacheKey)
    else caches.set(cacheKey, fitted.cache)
    return fitted
  }

  function reusable(prepared: PreparedDraft, { prompt, totalTokens }: LoreFitted): number | null {
    const { profile, client } = prepared.model
    const text = joinParts(prompt.parts)
    return pages.estimate(readKey(prepared), profile.id, text, totalTokens, client.lastRead)
  }

  async function begin(request: DraftStart, signal: AbortSignal): Promise<BegunDraft> {
    const { beside } = request
    const isRunning = deps.runs
      .list(request.workId)
      .some((run) => run.state === 'running' && run.placeId !== beside?.placeId)
    if (isRunning || (!beside && starting.has(request.workId))) throw new AppError({ code: 'run/busy' })
    if (!beside) starting.add(request.workId)
    const [draft, { newRun, writeDraft }] = await Promise.all([
      sentAgain(request, signal),
      loadWriting(),
    ]).finally(() => starting.delete(request.workId))
    const { prepared } = draft
    heldRolls.delete(rollKey(request))
    const run = newRun(prepared, deps, beside)
    const fitting = Promise.withResolvers<void>()
    if (request.mode === 'generate' && !beside) {
      const open = (stop: AbortSignal) => deps.works.follow(request.workId, request.path, stop)
      deps.places.follow(run.takeId, run.position, open, prepared.begun?.from)
    }
    deps.runs.start(run, async (report, stop) => {
      let prompt = ''
      let lastRead: string | undefined
      const outcome = await writeDraft({
        deps,
        prepared,
        report,
        group: request.takes === undefined ? undefined : run.placeId,
        isBeside: beside !== undefined,
        seed: request.seed ?? Math.floor(deps.random.next() * 2 ** 31),
        async fit() {
          draft.fitted ??= await fit(prepared, request.isEstimateAccepted, stop)
          prompt = joinParts(draft.fitted.prompt.parts)
          fitting.resolve()
          // Only a page moves the beginning of its text: what is written beside it may have less room.
          if (request.mode === 'generate') keepPlaces(request.workId, run.placeId, draft.fitted)
          return draft.fitted
        },
        unread(fitted) {
          lastRead = prepared.model.client.lastRead
          return fitted.totalTokens - (reusable(prepared, fitted) ?? 0)
        },
        speeds: readSpeeds,
        signal: stop,
      }).finally(fitting.resolve)
      const { text: answer, figures } = report.run
      pages.remember(readKey(prepared), prepared.model.profile.id, { prompt, answer, figures, lastRead })
      return outcome
    })
    return { run, draft, fitted: fitting.promise }
  }

  /** Stores where a page's prompt begins and where its lore stands. A page is written on a full disk, too. */
  function keepPlaces(workId: string, takeId: string, { anchor, lore, state }: LoreFitted): void {
    try {
      if (anchor !== undefined) deps.works.setAnchor(workId, anchor)
      const sent = lore && { takeId, matched: lore.matched }
      if (state !== null) deps.lore.setState(workId, { ...state, ...(sent && { sent }) })
    } catch (error) {
      deps.log.write('warn', 'draft.places-not-kept', { error })
    }
  }

  /** Returns the draft that is to be sent again, at its present position; or a new one. */
  async function sentAgain({ draft, ...request }: DraftStart, signal: AbortSignal): Promise<SentDraft> {
    if (draft === undefined) {
      const prepared = await prepare(request, 'foreground', signal)
      if (request.branch === undefined) return { prepared }
      const { branchedDraft } = await import('./takes/take-words.ts')
      return branchedDraft(deps, prepared, { ...request, branch: request.branch }, signal)
    }
    // The prompt stays the same; the file may have been removed since.
    if (request.path !== '') await deps.works.bodyFiles(request.workId, request.path, true)
    return { ...draft, prepared: { ...draft.prepared, position: request.endAt ?? draft.prepared.position } }
  }

  return {
    /** Returns the prompt of the next run, whose dice are held for that run. `problem`: why it cannot be sent. */
    async preview(request: DraftRequest, signal: AbortSignal): Promise<DraftPreview> {
      const prepared = await prepare(request, 'background', signal)
      const { sendable, unsendable } = await import('./preview-prompt.ts')
      try {
        const fitted = await fit(prepared, false, signal)
        const reusableTokens = reusable(prepared, fitted)
        const readSpeed = readSpeeds.get(prepared.model.profile.id) ?? null
        return await sendable(prepared, fitted, { reusableTokens, readSpeed }, signal)
      } catch (error) {
        if (signal.aborted || !(error instanceof AppError)) throw error
        return unsendable(prepared, error.info)
      }
    },

    /** Does the same as `start`; the result also has the draft, so that it can be sent again. */
    begin,
    /**
     * Starts a run and returns at once: counting, waiting and writing are told by its events.
     *
     * Errors: `run/busy` while another run of this work writes; `model/none`; `file/…`.
     */
    start: async (request: DraftStart, signal: AbortSignal): Promise<Run> =>
      (await begin(request, signal)).run,

    /** Writes a rolled value into the text. Errors: `file/changed` where the die is gone. */
    fixRoll: (workId: string, roll: RolledValue): Promise<void> =>
      deps.works.edit(workId, roll, (text) => {
        const edit = fixRoll(text, roll)
        if (edit === undefined) throw new AppError({ code: 'file/changed', path: roll.path ?? roll.field })
        return edit
      }),

    /** Called when the author has accepted a take, or part of it. */
    async accepted({ workId, takeId, placeId }: Pick<Take, 'workId' | 'takeId' | 'placeId'>): Promise<void> {
      const { noteAccepted } = await loadFitting()
      noteAccepted(deps.lore, workId, placeId || takeId)
    },

    /** Has the next page tell the present summaries, although the model then reads all of it anew. Errors: `work/not-open`. */
    async tellSummaries(workId: string): Promise<void> {
      const [{ loreStateOf }] = await Promise.all([loadFitting(), deps.works.details(workId)])
      deps.lore.setState(workId, { ...loreStateOf(deps.lore, workId), told: undefined })
    },

    /** Rolls the dice again for the next preview. */
    reroll(workId: string): void {
      for (const key of heldRolls.keys()) if (key.startsWith(`${workId}\n`)) heldRolls.delete(key)
    },
  }
}

function modelKey({ request, model }: PreparedDraft): string {
  return `${request.workId} ${request.mode} ${model.profile.id}`
}

/** Returns the key of `createPageReuse`. A rewrite shares the prompt of the page, and so its key. */
function readKey(prepared: PreparedDraft): string {
  const { request } = prepared
  return modelKey(
    request.mode === 'rewrite' ? { ...prepared, request: { ...request, mode: 'generate' } } : prepared,
  )
}

function rollKey({ workId, path, mode }: DraftRequest): string {
  return `${workId}\n${mode}\n${path}`
}

/** Returns the author's choice, else the language of the text, or of the details; null: neither has words. */
function promptLanguage(details: DraftDetails, { body, fields }: RolledDraft): 'ja' | 'en' | null {
  if (details.promptLanguage !== 'text') return details.promptLanguage
  const { keywords, genres, dialogueLevel: _, ...texts } = fields
  return languageOfText(body) ?? languageOfText([...Object.values(texts), ...keywords, ...genres].join('\n'))
}
