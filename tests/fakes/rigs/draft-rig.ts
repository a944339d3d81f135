import { ChangeSet } from '@codemirror/state'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/main/deps.ts'
import {
  createDraftService,
  type DraftDeps,
  type DraftService,
} from '../../../src/main/drafting/draft-service.ts'
import { createEndlessDrafts, type EndlessDrafts } from '../../../src/main/drafting/endless-drafts.ts'
import { createPendingPlaces, type PendingPlaces } from '../../../src/main/drafting/takes/pending-places.ts'
import { createTakeService, type TakeService } from '../../../src/main/drafting/takes/take-service.ts'
import { nextWordsOf } from '../../../src/main/drafting/takes/take-words.ts'
import {
  type CompletionRequest,
  type ModelClient,
  type ModelEvent,
  promptText,
} from '../../../src/main/models/client/model-client.ts'
import type { ActiveModel } from '../../../src/main/models/profiles/active-model.ts'
import { createBroadcast } from '../../../src/main/platform/broadcast.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { createRunRegistry, type RunRegistry } from '../../../src/main/runs/run-registry.ts'
import { AppSettings, type AppSettingsPatch } from '../../../src/shared/domain/app/app-settings.ts'
import type { DraftDetails } from '../../../src/shared/domain/drafting/draft-details.ts'
import type { DraftAnchor } from '../../../src/shared/domain/drafting/draft-preview.ts'
import type { Run } from '../../../src/shared/domain/drafting/run.ts'
import { defaultTimeouts, type ModelProfile } from '../../../src/shared/domain/model/model-profile.ts'
import { DocumentEvent } from '../../../src/shared/domain/work/document.ts'
import { AppError } from '../../../src/shared/errors.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { openTestStore, type WholeStore } from '../disks/test-store.ts'
import { emptyDraftDetails } from '../empty-draft-details.ts'
import { silentLog } from '../silent-log.ts'
import { japaneseWords, templatePack } from './fake-draft.ts'

/** The model's answer to one request; it may wait, fail, or watch the signal. */
export type Answer = (
  request: CompletionRequest,
  signal: AbortSignal,
) => AsyncGenerator<ModelEvent, void, void>

/** The drafting service over a real store, with a work of plain texts and a model whose answers the test gives. */
export type DraftRig = {
  drafts: DraftService
  /** Returns the service of the next host of the same data folder. */
  startAgain(): DraftService
  endless: EndlessDrafts
  nextWordsAt(takeId: string, at: number): ReturnType<typeof nextWordsOf>
  runs: RunRegistry
  takes: TakeService
  places: PendingPlaces
  store: WholeStore
  workId: string
  /** What the model was sent. */
  sent: CompletionRequest[]
  /** The model's next words; undefined: it reports no probabilities. */
  nextWords: ModelClient['nextWords']
  /** How many requests the model serves at once; undefined: it does not say. */
  requestsAtOnce: ModelClient['requestsAtOnce']
  /** What the model's server read last; undefined: it has several slots. */
  lastRead: string | undefined
  /** The preset that the author chose for the work. */
  workSampler: string | null
  /** Texts that are one token of the model. */
  ownTokens: string[]
  /** The model is not known before. */
  modelFound: Promise<void>
  /** What was counted. */
  counted: string[]
  files: { path: string; text: string }[]
  answer: Answer
  /** One number per roll, from the front; 0 when there are none left. */
  dice: number[]
  details: Partial<DraftDetails>
  /** The author edits the open document. */
  edit(length: number, spec: { from: number; to?: number; insert?: string }): void
  start(request?: Partial<Parameters<DraftService['start']>[0]>): Promise<Run>
  ended(run: Run): Promise<Run>
}

export function draftRig(
  options: {
    contextTokens?: number | null
    settings?: AppSettingsPatch
    windowLanguage?: 'ja' | 'en'
    backend?: 'koboldcpp' | 'openai' | 'embedded'
    canCount?: boolean
    clock?: Clock
    /** The model's context window is asked for, and does not come before this. */
    windowTold?: Promise<void>
    /** The model's context window cannot be asked for. */
    windowFailure?: AppError
  } = {},
): DraftRig {
  const store = openTestStore(`${tempFolder()}/tsugi.db`)
  const { workId } = store.works.open('/work', 'work', 1)
  const log = silentLog
  const { clock = systemClock } = options
  const runs = createRunRegistry({ clock, log })
  const takes = createTakeService(store.takes)
  const places = createPendingPlaces(log, takes.place)
  const documentEvents = createBroadcast<DocumentEvent>()
  let anchor: DraftAnchor | undefined
  const { drafting, ...rest } = options.settings ?? {}
  const base = AppSettings.parse({})
  const settings = AppSettings.parse({ ...base, ...rest, drafting: { ...base.drafting, ...drafting } })

  const own = draftDeps()
  const drafts = createDraftService(own)
  const rig: DraftRig = {
    drafts,
    startAgain: () => createDraftService(own),
    endless: createEndlessDrafts({ ...own, drafts }),
    nextWordsAt: (takeId, at) => nextWordsOf(own, { takeId, at }, new AbortController().signal),
    runs,
    takes,
    places,
    store,
    workId,
    sent: [],
    nextWords: undefined,
    requestsAtOnce: undefined,
    lastRead: undefined,
    ownTokens: [],
    workSampler: null,
    modelFound: Promise.resolve(),
    counted: [],
    files: [{ path: '001.txt', text: '　時計の針が逆回転を始めた。\n' }],
    answer: says('続き。'),
    dice: [],
    details: {},
    edit(length, spec) {
      const changes = ChangeSet.of(spec, length).toJSON()
      documentEvents.send(
        DocumentEvent.parse({ kind: 'changed', version: 2, changes: [{ changes, clientId: 'a' }] }),
      )
    },
    start: (request = {}) =>
      rig.drafts.start(
        {
          workId,
          path: '001.txt',
          mode: 'generate',
          ideaTarget: 'all',
          isEstimateAccepted: false,
          ...request,
        },
        new AbortController().signal,
      ),
    async ended(run) {
      for await (const event of runs.watch(run.runId, undefined, new AbortController().signal)) {
        if (event.type === 'ended') break
      }
      const last = runs.find(run.runId)
      if (last === undefined) throw new Error('the run is gone')
      return last
    },
  }
  onTestFinished(async () => {
    places.close()
    await runs.close()
    store.close()
  })
  return rig

  function draftDeps(): DraftDeps {
    return {
      clock,
      random: { next: () => rig.dice.shift() ?? 0, id: systemRandom.id },
      log,
      works: {
        details: async () => ({ ...emptyDraftDetails, ...rig.details }),
        async bodyFiles(_workId, path, isOpenFileOnly) {
          const open = rig.files.filter((file) => file.path === path)
          if (open.length === 0) throw new AppError({ code: 'file/not-found', path })
          return isOpenFileOnly ? open : rig.files
        },
        follow: (_workId, _path, signal) => documentEvents.subscribe(signal),
        async edit(_workId, { path }, edit) {
          const file = rig.files.find((each) => each.path === path)
          if (file === undefined) throw new Error('the rig edits manuscripts')
          const { from, to, insert } = edit(file.text)
          file.text = file.text.slice(0, from) + insert + file.text.slice(to)
        },
        anchor: () => anchor,
        setAnchor: (_workId, next) => {
          anchor = next
        },
      },
      lore: {
        match: async () => null,
        isChanging: async () => false,
        state: () => undefined,
        setState: () => undefined,
        story: async () => null,
      },
      settings: () => settings,
      async activeModel() {
        await rig.modelFound
        return model()
      },
      windowLanguage: () => options.windowLanguage ?? 'ja',
      words: { ja: japaneseWords, en: { ...japaneseWords, rating: ' Rating: {{rating}}' } },
      workSampler: () => rig.workSampler,
      sampler: (presetId) => (presetId === 'ideas' ? { ...model().sampler, temperature: 1.2 } : undefined),
      runs,
      store,
      takes,
      places,
    }
  }

  function model(): ActiveModel {
    const count = async (text: string) => {
      rig.counted.push(text)
      return rig.ownTokens.includes(text) ? 1 : text.length
    }
    return {
      profile: profile(options.backend ?? 'koboldcpp'),
      client: {
        capabilities: { hasCounter: true, constraints: [], hasReuseCount: false, hasTools: false },
        describe: async () => ({ modelName: 'Test model', version: null, context: null, needsKey: false }),
        contextWindow: async () => {
          await options.windowTold
          if (options.windowFailure) throw options.windowFailure
          const tokens = options.contextTokens === undefined ? 4096 : options.contextTokens
          return tokens === null ? null : { tokens, source: 'server' as const }
        },
        countChat: null,
        ...(rig.nextWords && { nextWords: rig.nextWords }),
        ...(rig.requestsAtOnce && { requestsAtOnce: rig.requestsAtOnce }),
        countTokens: options.canCount === false ? null : (prompt) => count(promptText(prompt)),
        get lastRead() {
          return rig.lastRead
        },
        complete(request, signal) {
          rig.sent.push(request)
          return rig.answer(request, signal)
        },
        chat: () => {
          throw new Error('drafts do not chat')
        },
        dispose: async () => undefined,
      },
      template: templatePack('mistral'),
      sampler: { temperature: 0.7, topK: 40, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 },
      modelName: 'Test model',
      isDemo: false,
      languages: [],
    }
  }
}

function profile(backend: 'koboldcpp' | 'openai' | 'embedded'): ModelProfile {
  const common = { id: 'p', name: 'Test model', templateId: 'mistral', samplerPresetId: 'novel' }
  const place = { address: 'http://127.0.0.1:1', hasKey: false, timeouts: defaultTimeouts }
  if (backend === 'embedded')
    return { ...common, backend, file: '/test-model.gguf', timeouts: defaultTimeouts }
  return backend === 'openai'
    ? { ...common, ...place, backend, model: 'test-model' }
    : { ...common, ...place, backend }
}

/** Says a text in pieces and ends by itself. */
export function says(...pieces: string[]): Answer {
  return async function* () {
    yield { type: 'phase', phase: 'writing', progress: null }
    for (const text of pieces) yield { type: 'text', text }
    yield { type: 'done', stopReason: 'stop' }
  }
}
