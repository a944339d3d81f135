import type { Api } from '../../../src/shared/contract/index.ts'
import { AppSettings } from '../../../src/shared/domain/app/app-settings.ts'
import type { HostEvent } from '../../../src/shared/domain/app/host-info.ts'
import type { ToolServerStatus } from '../../../src/shared/domain/app/tool-server.ts'
import type { DraftPreview } from '../../../src/shared/domain/drafting/draft-preview.ts'
import type { AttachedImage } from '../../../src/shared/domain/image/attached-image.ts'
import type { WorkSummaries } from '../../../src/shared/domain/lore/chapter-summary.ts'
import type { UnreadLore } from '../../../src/shared/domain/lore/lore.ts'
import type { CatalogueStatus, StarterStatus } from '../../../src/shared/domain/model/model-catalogue.ts'
import type { FoundModel, FoundServer } from '../../../src/shared/domain/model/model-found.ts'
import type { ModelProfile } from '../../../src/shared/domain/model/model-profile.ts'
import { type ModelStatus, noModel } from '../../../src/shared/domain/model/model-status.ts'
import type { SamplerPreset } from '../../../src/shared/domain/model/sampler.ts'
import type { DocumentEvent } from '../../../src/shared/domain/work/document.ts'
import type { FindResult, Quotation } from '../../../src/shared/domain/work/find.ts'
import type { HistoryEntry } from '../../../src/shared/domain/work/history-entry.ts'
import type { Work, WorkEvent } from '../../../src/shared/domain/work/work.ts'
import { noWorkSettings, type WorkSettings } from '../../../src/shared/domain/work/work-settings.ts'
import { AppError, type ErrorInfo } from '../../../src/shared/errors.ts'
import { FakeAuthority } from '../rigs/fake-document-authority.ts'
import { FakeReferences } from './fake-references.ts'
import { FakeRuns } from './fake-runs.ts'
import { FakeSessions } from './fake-sessions.ts'
import { FakeSpeculations } from './fake-speculations.ts'
import { FakeSuggestionLog } from './fake-suggestion-log.ts'
import { FakeSuggestions } from './fake-suggestions.ts'
import { FakeUnsent } from './fake-unsent.ts'
import { fixtureCatalogue, fixturePreview, fixtureTexts, fixtureWork, idleStarter } from './fixtures.ts'
import { createTopic } from './topic.ts'

/** A document, and events that a test can cause besides changes. */
export class FakeDocument {
  readonly documentId: string
  readonly path: string
  readonly authority: FakeAuthority
  readonly events = createTopic<DocumentEvent>()

  constructor(documentId: string, path: string, text: string) {
    this.documentId = documentId
    this.path = path
    this.authority = new FakeAuthority(text)
    this.authority.documentId = documentId
    this.authority.listen((event) => {
      this.events.publish(event)
      const { version } = this.authority
      this.events.publish({ kind: 'saved', version, at: Date.now() })
    })
  }

  watch(afterVersion: number | undefined, signal: AbortSignal): AsyncIterable<DocumentEvent> {
    const first = this.authority
      .eventsSince(afterVersion)
      .map(
        (event): DocumentEvent =>
          event.kind === 'snapshot' ? { ...event, snapshot: { ...event.snapshot, path: this.path } } : event,
      )
    // Like the real host, it also reports what was saved while no window watched.
    const saved: DocumentEvent = { kind: 'saved', version: this.authority.version, at: Date.now() }
    return this.events.follow(signal, afterVersion === undefined ? first : [...first, saved])
  }
}

/** The state of a host without disk, network or model; tests set it and check the window's reaction. */
export class FakeHost {
  work: Work = structuredClone(fixtureWork)
  settings: AppSettings = AppSettings.parse({})
  workSettings: WorkSettings = noWorkSettings
  /** The result of every search in the work. */
  quotations: Quotation[] = []
  foundInWork: FindResult = { chapters: [], total: 0, isTruncated: false, unread: [] }
  summaries: WorkSummaries = {
    episodes: [],
    whole: {
      file: '資料/あらすじ/全体.md',
      state: 'none',
      error: null,
      changed: [],
      episodes: [],
      text: '',
      offer: null,
      takes: 0,
    },
  }
  /** Writing a summary waits for this promise, then fails with this error. */
  heldSummary: Promise<void> = Promise.resolve()
  failedSummary: ErrorInfo | null = null
  failedSummaryList: ErrorInfo | null = null
  /** Called when the change of an offered summary arrives. */
  onSummaryEdit = (): Record<string, never> => ({})
  lore: Awaited<ReturnType<Api['lore.list']>> = { entries: [], candidates: [], unread: [], revision: '' }
  /** What every export of lore switches off, and leaves out. */
  exportedLore: { off: string[]; unread: UnreadLore[] } = { off: [], unread: [] }
  model: ModelStatus = noModel
  starter: StarterStatus = idleStarter
  catalogue: CatalogueStatus = fixtureCatalogue
  toolServers: ToolServerStatus[] = []
  preview: DraftPreview = fixturePreview
  openPath: string | null = null
  /** Opening a folder waits for this promise. */
  heldOpening: Promise<void> | null = null
  /** Creating a work or a file waits for this promise. */
  heldCreation: Promise<void> | null = null
  locale = 'ja-JP'
  isLocaleChosen = true
  kind: 'web' | 'electron' = 'web'
  /** The answer of the system's dialog; undefined where the host has none. */
  picked: Promise<string | null> | undefined
  /** Paths to which works were exported. */
  readonly exports = new Set<string>()
  readonly found: FoundModel[] = []
  /** The server that is found at any address; null: nothing answers there. */
  server: FoundServer | null = null
  readonly profiles: ModelProfile[] = []
  readonly presets: SamplerPreset[] = []
  readonly history: HistoryEntry[] = []
  readonly runs = new FakeRuns()
  readonly sessions = new FakeSessions()
  readonly references = new FakeReferences()
  readonly suggestionLog = new FakeSuggestionLog()
  readonly suggestions = new FakeSuggestions()
  readonly speculations = new FakeSpeculations()
  readonly unsent = new FakeUnsent()
  readonly documents = new Map<string, FakeDocument>()
  readonly topics = {
    host: createTopic<HostEvent>(),
    settings: createTopic<AppSettings>(),
    workSettings: createTopic<WorkSettings>(),
    model: createTopic<ModelStatus>(),
    profiles: createTopic<{ profiles: ModelProfile[] }>(),
    starter: createTopic<StarterStatus>(),
    catalogue: createTopic<CatalogueStatus>(),
    toolServers: createTopic<{ servers: ToolServerStatus[] }>(),
    work: createTopic<WorkEvent>(),
  }
  /** Methods in the order in which they were asked for. */
  readonly calls: { method: string; input: unknown }[] = []

  constructor(texts: Record<string, string> = fixtureTexts) {
    for (const [path, text] of Object.entries(texts)) this.addDocument(path, text)
  }

  /** Images that were added, by their ids. */
  readonly images = new Map<string, string>()

  addImage(name: string, data: string): { image: AttachedImage } {
    const imageId = String(this.images.size + 1).padStart(64, '0')
    this.images.set(imageId, data)
    const sizeBytes = Math.max(1, Math.floor((data.length * 3) / 4))
    return { image: { imageId, mediaType: 'image/png', name, width: 40, height: 30, sizeBytes } }
  }

  imageOf(imageId: string): { mediaType: 'image/png'; data: string } {
    const data = this.images.get(imageId)
    if (data === undefined) throw new AppError({ code: 'file/not-found', path: imageId })
    return { mediaType: 'image/png', data }
  }

  addDocument(path: string, text: string): FakeDocument {
    const document = new FakeDocument(`document-${this.documents.size + 1}`, path, text)
    this.documents.set(path, document)
    return document
  }

  byId(documentId: string): FakeDocument {
    const document = [...this.documents.values()].find((one) => one.documentId === documentId)
    if (!document) throw new Error(`no ${documentId}`)
    return document
  }

  setModel(model: ModelStatus): void {
    this.model = model
    this.topics.model.publish(model)
  }

  setFiles(files: Work['files']): void {
    this.work = { ...this.work, files }
    this.topics.work.publish({ type: 'files', files })
  }
}
