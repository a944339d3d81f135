import type { DraftPreview } from '../../../src/shared/domain/drafting/draft-preview.ts'
import type { Run } from '../../../src/shared/domain/drafting/run.ts'
import type { Take } from '../../../src/shared/domain/drafting/take.ts'
import type { CatalogueStatus, StarterStatus } from '../../../src/shared/domain/model/model-catalogue.ts'
import { type ModelStatus, noModel } from '../../../src/shared/domain/model/model-status.ts'
import type { Work } from '../../../src/shared/domain/work/work.ts'
import { emptyDraftDetails } from '../empty-draft-details.ts'
import { newRun } from '../new-run.ts'

/** The fixed time in all screenshots. Units: milliseconds since the epoch. */
export const fixtureNow = Date.UTC(2026, 10, 21, 5, 2)

export const fixtureTexts: Record<string, string> = {
  '001 鐘の音.txt': '　鐘が鳴った。\n',
  '002 時計塔.txt': '　塔の中は暗かった。\n',
  '003 逆回転.txt': [
    '@// ここから雨を強く',
    '　時計の針が逆回転を始めた。',
    '　風景がぐにゃりと歪む。壁に飾られた絵画の人物が、ゆっくりとこちらを向いた。',
    '　彼は口を開き、何かを伝えようとしている。その唇が形作ったのは',
  ].join('\n'),
  '資料/登場人物.txt': '主人公：十七歳。\n',
  '資料/年表.txt': '一八九九年　塔が建つ。\n',
}

export const fixtureWork: Work = {
  workId: 'work-1',
  root: '/home/author/刻の迷宮',
  name: '刻の迷宮',
  files: Object.keys(fixtureTexts).map((path, order) => ({
    path,
    kind: path.startsWith('資料/') ? 'material' : 'manuscript',
    order,
    ...(path.startsWith('資料/') ? {} : { characters: [4812, 6230, 2147][order] ?? 0 }),
  })),
  details: {
    ...emptyDraftDetails,
    title: '刻の迷宮',
    keywords: ['時計塔', '雨', '{霧|霞}'],
    genres: ['幻想', 'ミステリー'],
    synopsis: '時計塔に閉じ込められた少女が、逆に進む時の中で自分の名前を探す。',
    plot: '一日目に鐘が鳴り、二日目に針が戻る。',
    authorsNote: '雨の音を絶やさない。',
  },
  hasWorkFile: true,
  isProject: false,
  workFileProblem: null,
  progress: { goal: null, days: [], isKept: true },
  lastPath: '003 逆回転.txt',
  places: {},
}

export const readyModel: ModelStatus = {
  ...noModel,
  state: 'ready',
  profileId: 'profile-1',
  profileName: 'Gemma 3 270M',
  backend: 'embedded',
  modelName: 'Gemma 3 270M',
  contextTokens: 8192,
  contextSource: 'file',
  isEstimateOnly: false,
  languages: ['ja'],
}

export const idleStarter: StarterStatus = {
  models: [
    {
      starterId: 'gemma3-270m',
      name: 'Gemma 3 270M',
      sizeBytes: 253_000_000,
      languages: ['ja', 'en'],
      licence: 'Gemma Terms of Use',
      termsId: 'gemma',
    },
    {
      starterId: 'smollm2-135m',
      name: 'SmolLM2 135M Instruct',
      sizeBytes: 92_000_000,
      languages: ['en'],
      licence: 'Apache-2.0',
      termsId: null,
    },
  ],
  state: 'idle',
  starterId: null,
  receivedBytes: 0,
  totalBytes: 0,
  error: null,
}

/** One model that fits the machine, one that is half here, and one that is too large. */
export const fixtureCatalogue: CatalogueStatus = {
  models: (
    [
      ['small', 'Neko 4B', 4, 2_500_000_000, 4_500_000_000],
      ['half', 'Inu 8B', 8, 5_000_000_000, 7_500_000_000],
      ['large', 'Kujira 70B', 70, 42_000_000_000, 48_000_000_000],
    ] as const
  ).map(([modelId, name, parameters, sizeBytes, memoryBytes]) => ({
    modelId,
    name,
    parameters,
    sizeBytes,
    memoryBytes,
    languages: ['ja', 'en'],
    uses: ['prose', 'tools'],
    licence: 'Apache-2.0',
    licenceUrl: 'https://www.apache.org/licenses/LICENSE-2.0',
    termsId: null,
    hf: `hf:soseki/${modelId}-GGUF/${modelId}-Q4_K_M.gguf`,
    sha256: null,
  })),
  downloads: ['small', 'half', 'large'].map((modelId) => ({
    modelId,
    state: modelId === 'half' ? 'paused' : 'absent',
    receivedBytes: modelId === 'half' ? 2_000_000_000 : 0,
    totalBytes: modelId === 'half' ? 5_000_000_000 : 0,
    bytesPerSecond: null,
    canResume: true,
    file: null,
    error: null,
  })),
  memoryBytes: 16_000_000_000,
  freeDiskBytes: 40_000_000_000,
  hub: 'https://huggingface.co/',
  ownListProblem: null,
}

export const fixturePreview: DraftPreview = {
  task: 'CONT_WITH_INFO',
  parts: [
    { origin: 'wrapper', text: '[INST]' },
    { origin: 'instruction', text: '参考情報を踏まえて、次の小説の続きを書いてください。' },
    { origin: 'reference', text: '# タイトル: 刻の迷宮\n# キーワード: 時計塔, 雨, 霧' },
    { origin: 'body', text: fixtureTexts['002 時計塔.txt'] ?? '' },
    { origin: 'note', text: '【雨の音を絶やさない。】' },
    { origin: 'suffix', text: '　彼は口を開き、何かを伝えようとしている。' },
  ],
  rolls: [{ field: 'keywords', from: 0, to: 5, source: '{霧|霞}', value: '霧' }],
  tokensByOrigin: { wrapper: 8, instruction: 62, reference: 740, body: 3440, note: 658, suffix: 170 },
  totalTokens: 5078,
  availableTokens: 7692,
  contextTokens: 8192,
  outputTokens: 500,
  isEstimate: false,
  keptChars: 4200,
  bodyChars: 13_189,
  isShortened: false,
  reusableTokens: 4930,
  readSpeed: null,
  lore: null,
  loreRevision: '',
  story: null,
  problem: null,
}

export function fixtureTake(change: Partial<Take> = {}): Take {
  return {
    takeId: 'take-1',
    workId: 'work-1',
    path: '003 逆回転.txt',
    mode: 'generate',
    ideaTarget: 'all',
    placeId: change.placeId ?? change.takeId ?? 'take-1',
    task: 'CONT_WITH_INFO',
    text: '「逃げて」という二文字だった。声は聞こえない。けれど、その形だけは',
    lead: '',
    position: fixtureTexts['003 逆回転.txt']?.length ?? 0,
    state: 'dismissed',
    acceptedLength: 0,
    stopReason: 'length',
    modelName: 'Gemma 3 270M',
    isDemo: false,
    promptTokens: 4930,
    completionTokens: 120,
    tokensPerSecond: 31,
    elapsedMs: 3900,
    createdAt: fixtureNow,
    ...change,
  }
}

export function fixtureRun(take: Take): Run {
  return newRun({
    runId: `run-${take.takeId}`,
    workId: take.workId,
    path: take.path,
    takeId: take.takeId,
    mode: take.mode,
    ideaTarget: take.ideaTarget,
    placeId: take.placeId,
    position: take.position,
    lead: take.lead,
    figures: { ...newRun().figures, maxTokens: 500 },
    modelName: take.modelName,
    startedAt: take.createdAt,
  })
}
