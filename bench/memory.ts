/** The cost of lore from page to page: near the end and sticky, compared with the head, where other programs put it. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDocumentService } from '../src/main/documents/document-service.ts'
import { createLocalHistory } from '../src/main/documents/local-history.ts'
import { createLoreService } from '../src/main/lore/lore-service.ts'
import { systemClock } from '../src/main/platform/clock.ts'
import { nodeDisk } from '../src/main/platform/files/disk.ts'
import { createFileWatcher } from '../src/main/platform/files/file-watcher.ts'
import { systemRandom } from '../src/main/platform/random.ts'
import { openStore } from '../src/main/store/store.ts'
import type { PromptPart } from '../src/shared/domain/drafting/take.ts'
import { sharedLength } from '../src/shared/text/difference/text-similarity.ts'
import { openLoreApp } from '../tests/fakes/rigs/lore-app.ts'
import { type FakeKobold, startFakeKobold } from '../tests/fakes/servers/fake-kobold.ts'
import { createFakeLlamaServer } from '../tests/fakes/servers/fake-llama-server.ts'
import { tokenize } from '../tests/fakes/servers/fake-tokenizer.ts'
import { shiftedLength } from '../tests/fakes/servers/kobold/shifted-length.ts'
import { silentLog } from '../tests/fakes/silent-log.ts'
import { temporaryFolder, tinyModels } from './model-files.ts'
import { type BenchOptions, number, type Report, ratio, type Table } from './report.ts'

const usualContext = 16_384
const smallContext = 8_192
const entryCount = 40
const pageChars = 400
/** More than the context holds, so that the beginning moves within the pages. */
const startChars = 20_000
const touched = 3
const serverAnswer = '続き。'
/** As `openLoreApp` sets it. */
const outputTokens = 32
/** Number of pages after which one of the entries that a page names is replaced by another. */
const castPages = 3
/** The works that are written where a server only counts: how often the beginning moves in one of them is chance. */
const seeds = [7, 8, 9, 10, 11]
const summarisedChapters = 10
const summaryChars = 200
const bookEntries = 1_000
const manuscriptChars = 1_000_000

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const pages = isQuick ? 12 : 50
  const works = isQuick ? seeds.slice(0, 1) : seeds
  const [model] = tinyModels()
  if (model === undefined) throw new Error('no model to measure with')
  const usual = { contextTokens: usualContext, chapters: 0 }
  const summarised = { contextTokens: usualContext, chapters: summarisedChapters }
  const countAll = (scene: Omit<Scene, 'seed'>) =>
    eachWork(works, (seed) => countPages(pages, { ...scene, seed }))
  const shiftAll = (scene: Omit<Scene, 'seed'>) =>
    eachWork(works, (seed) => shiftPages(pages, { ...scene, seed }))
  const counted = await countAll(usual)
  const countedSummaries = await countAll(summarised)
  const small = await countAll({ ...usual, contextTokens: smallContext })
  const shifted = await shiftAll(usual)
  const shiftedSummaries = await shiftAll(summarised)
  const played = await eachWork(works.slice(0, 1), (seed) =>
    writePages(pages, { file: model.file, contextTokens: usualContext }, { ...usual, seed }),
  )
  const book = await matchBook()
  const served = (title: string) => `${title}, as the server counts`
  return {
    title: 'Lore from page to page',
    about: [
      `${pages} pages of ${pageChars} characters at a context of ${number(usualContext)} tokens on a llama.cpp server that only counts; ${entryCount} entries of 100 to 300 characters, of which each page names ${touched}, another one every ${castPages} pages. Read anew: the tokens behind what two prompts in a row begin with alike, of the same prompts with the entries in the two places. A page is cold where more than half of its prompt is read. Goal: at most 1,400 tokens a page, and cold pages only where the beginning of the text moves. All figures are means of ${works.length} such works; the text is the part of the manuscript that a prompt has. With summaries, the first ${number(startChars)} characters are ${summarisedChapters} chapters with a summary of ${summaryChars} each.`,
      `The same on a KoboldCpp server with context shift, which also keeps what stands behind a beginning that was cut, as long as that is one long part without a change in it. The text is fitted as the default for this server does it. Its tokens are those of the fake server, about one a character; its last row is what this server itself counted.`,
      `The same, one work, on the embedded engine with its own counts (${model.name}); its last row is what the engine itself tells of each run.`,
      `Matching: ${number(bookEntries)} entries over the last 4,000 characters of ${number(manuscriptChars)}, after a pause in typing. Goal: at most 20 ms.`,
    ],
    tables: [
      pagesTable('a llama.cpp server', counted),
      pagesTable(`a llama.cpp server, with ${summarisedChapters} summaries`, countedSummaries),
      pagesTable(`a llama.cpp server at ${number(smallContext)} tokens`, small),
      pagesTable('a KoboldCpp server with context shift', shifted, [served(sticky), shifted.told]),
      pagesTable(
        `a KoboldCpp server with context shift, with ${summarisedChapters} summaries`,
        shiftedSummaries,
        [served(sticky), shiftedSummaries.told],
      ),
      pagesTable('the embedded engine', played, [`${sticky}, as the engine tells`, played.told]),
      {
        title: 'Matching',
        columns: ['entries', 'first, with reading the files (ms)', 'after that (ms)'],
        rows: [[number(bookEntries), number(book.firstMs), number(book.ms)]],
      },
    ],
  }
}

const sticky = 'near the end, sticky'

function pagesTable(
  backend: string,
  written: Written,
  ...more: readonly (readonly [string, Reading])[]
): Table {
  const { pages, works, moves, textChars, head } = written
  const rows = [['in the head (baseline)', head], [sticky, written.sticky], ...more] as const
  return {
    title: `${pages} pages, ${backend}`,
    columns: ['lore', 'tokens read anew a page', 'cold pages', 'moves', 'text (characters)', 'ratio'],
    rows: rows.map(([name, one]) => [
      name,
      number(one.readTokens / pages / works),
      number(one.coldPages / works),
      number(moves / works),
      number(textChars / pages / works),
      ratio(one.readTokens, head.readTokens),
    ]),
  }
}

type Reading = { readTokens: number; coldPages: number }

/** The work that a measurement writes. Shape: `chapters` is the number of earlier, summarised ones; 0: it is one file. */
type Scene = { seed: number; contextTokens: number; chapters: number }

/**
 * Sums over `works` of as many pages. Shape: `moves` counts how often the beginning of the text moved; `told` are the
 * backend's own figures.
 */
type Written = {
  pages: number
  works: number
  moves: number
  textChars: number
  sticky: Reading
  head: Reading
  told: Reading
}

async function eachWork(
  works: readonly number[],
  write: (seed: number) => Promise<Written>,
): Promise<Written> {
  const written: Written[] = []
  for (const seed of works) written.push(await write(seed))
  return written.reduce((sum, one) => ({
    pages: one.pages,
    works: sum.works + one.works,
    moves: sum.moves + one.moves,
    textChars: sum.textChars + one.textChars,
    sticky: added(sum.sticky, one.sticky),
    head: added(sum.head, one.head),
    told: added(sum.told, one.told),
  }))
}

function added(a: Reading, b: Reading): Reading {
  return { readTokens: a.readTokens + b.readTokens, coldPages: a.coldPages + b.coldPages }
}

/** Numbers from a seed, the same on every machine. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const nameOf = (index: number) =>
  `人物${String.fromCodePoint(0x4e00 + index * 7)}${String.fromCodePoint(0x5e00 + index * 5)}`

function proseOf(chars: number, names: readonly string[], random: () => number): string {
  let text = ''
  while (text.length < chars) {
    const name = names.length === 0 ? '誰か' : (names[Math.floor(random() * names.length)] ?? '')
    text += `　${name}は${Math.floor(random() * 1000)}番目の角を曲がり、雨の中を静かに歩いていった。\n`
  }
  return text
}

async function countPages(pages: number, scene: Scene): Promise<Written> {
  const server = await createFakeLlamaServer({
    answer: () => ({ text: serverAnswer }),
    contextTokens: scene.contextTokens,
    slots: 1,
  })
  try {
    return await writePages(pages, server.address, scene)
  } finally {
    await server.close()
  }
}

async function shiftPages(pages: number, scene: Scene): Promise<Written> {
  const { contextTokens } = scene
  const server = await startFakeKobold({ contextTokens, shiftsCache: true, answer: serverAnswer })
  try {
    return await writePages(pages, { kobold: server.address }, scene, server)
  } finally {
    await server.close()
  }
}

/** Returns the earlier text of a work: in the file that is continued, or in chapters before it, with summaries. */
function earlierText(chapters: number, random: () => number): { files: [string, string][]; start: string } {
  if (chapters === 0) return { files: [], start: proseOf(startChars, [], random) }
  const files = Array.from({ length: chapters }, (_, index): [string, string][] => {
    const name = `000-${String(index).padStart(2, '0')}`
    const chapter = proseOf(startChars / chapters, [], random)
    return [
      [`${name}.txt`, chapter],
      [`資料/あらすじ/${name}.md`, proseOf(summaryChars, [], random)],
    ]
  })
  return { files: files.flat(), start: '' }
}

/** With `server`, reading anew is as its cache shifts, and `told` has its counts. */
async function writePages(
  pages: number,
  model: Parameters<typeof openLoreApp>[1],
  { seed, contextTokens, chapters }: Scene,
  server?: FakeKobold,
): Promise<Written> {
  const unread = server === undefined ? unshared : unshifted(contextTokens)
  const random = seeded(seed)
  const materials = Array.from({ length: entryCount }, (_, index) => {
    const text = proseOf(100 + Math.floor(random() * 200), [], random)
    return [`資料/${nameOf(index)}.md`, `---\nkeys: [${nameOf(index)}]\n---\n${text}`]
  })
  let cast = Array.from({ length: touched }, () => nameOf(Math.floor(random() * entryCount)))
  const { files: earlier, start } = earlierText(chapters, random)
  const files = {
    ...Object.fromEntries([...materials, ...earlier]),
    '001.txt': start + proseOf(pageChars, cast, random),
  }
  const novel = await openLoreApp(temporaryFolder(), model, files)
  const [sticky, head, told] = [newReading(), newReading(), newReading()]
  let [lastSticky, lastHead, lastStart, moves, textChars] = ['', '', '', -1, 0]
  try {
    for (let page = 0; page < pages; page++) {
      const { parts, totalTokens, keptChars } = await novel.preview()
      textChars += keptChars
      const asSent = parts.map(({ text }) => text).join('')
      const asOthers = loreFirst(parts)
      const begins = parts.find(({ origin }) => origin === 'body')?.text.slice(0, 60) ?? ''
      if (begins !== lastStart) moves += 1
      const figures = await novel.draft({ isAccepted: true })
      // Both ways read the first prompt as a whole.
      if (page > 0) {
        add(sticky, unread(asSent, lastSticky) * totalTokens, totalTokens)
        add(head, unread(asOthers, lastHead) * totalTokens, totalTokens)
        const counted = server?.requests.findLast(({ generation }) => generation)?.generation
        const promptTokens = counted?.promptTokens ?? figures.promptTokens ?? totalTokens
        add(told, promptTokens - (counted?.sharedTokens ?? figures.reusedTokens ?? 0), promptTokens)
      }
      ;[lastSticky, lastHead, lastStart] = [asSent, asOthers, begins]
      if (page % castPages === 0) cast = [...cast.slice(1), nameOf(Math.floor(random() * entryCount))]
      await novel.append(proseOf(pageChars, cast, random))
    }
  } finally {
    await novel.close()
  }
  return { pages, works: 1, moves, textChars, sticky, head, told }
}

function newReading(): Reading {
  return { readTokens: 0, coldPages: 0 }
}

/** Returns the share of a prompt behind the beginning that it has in common with the last one. */
function unshared(prompt: string, last: string): number {
  return 1 - sharedLength(prompt, last) / prompt.length
}

/** Returns `unshared` where the cache of KoboldCpp shifts. */
function unshifted(contextTokens: number): typeof unshared {
  return (prompt, last) => {
    const tokens = tokenize(prompt)
    const limits = { contextTokens, outputTokens }
    return 1 - shiftedLength(tokens, tokenize(last + serverAnswer), limits) / tokens.length
  }
}

function add(reading: Reading, read: number, totalTokens: number): void {
  reading.readTokens += read
  if (read * 2 > totalTokens) reading.coldPages += 1
}

/** The same prompt with all its entries before the text, in the order of their names. */
function loreFirst(parts: readonly PromptPart[]): string {
  const isLore = ({ origin }: PromptPart) => origin === 'lore' || origin === 'recentLore'
  const lore = parts.filter(isLore).flatMap(({ text }) => text.split(/(?=^# )/m))
  const at = parts.findIndex(({ origin }) => origin === 'body' || origin === 'tail')
  const others = parts.map((part) => (isLore(part) ? '' : part.text))
  return [...others.slice(0, at), lore.sort().join(''), ...others.slice(at)].join('')
}

async function matchBook(): Promise<{ firstMs: number; ms: number }> {
  const random = seeded(3)
  const root = temporaryFolder()
  mkdirSync(join(root, '資料'))
  const files = Array.from({ length: bookEntries }, (_, index) => {
    const path = `資料/${index}.md`
    const text = `---\nkeys: [${nameOf(index)}, 別名${index}]\n---\n${proseOf(200, [], random)}`
    writeFileSync(join(root, path), text)
    return { path, kind: 'material' as const }
  })
  const { documents, close } = openDocuments()
  const works = { rootOf: () => root, get: () => ({ files }) as never }
  const service = createLoreService({ disk: nodeDisk, works, documents })
  const names = Array.from({ length: 200 }, (_, index) => nameOf(index))
  const manuscript = proseOf(manuscriptChars, names, random)
  const times: number[] = []
  for (let turn = 0; turn < 12; turn++) {
    const text = `${manuscript.slice(-4_000 + turn)}あ${turn}`
    const from = performance.now()
    await service.match('w', {
      text,
      note: '',
      path: '001.txt',
      isRecursive: false,
      files: [{ path: '001.txt', text: manuscript }],
    })
    times.push(performance.now() - from)
  }
  await close()
  const [firstMs = 0, ...later] = times
  return { firstMs, ms: later.sort((a, b) => a - b)[Math.floor(later.length / 2)] ?? 0 }
}

/** The documents of a host, over real files. */
function openDocuments() {
  const host = { clock: systemClock, random: systemRandom, log: silentLog, disk: nodeDisk }
  const store = openStore(join(temporaryFolder(), 'tsugi.db'), host)
  const watcher = createFileWatcher(host)
  const history = createLocalHistory({ ...host, repository: store.history })
  const { unsaved } = store
  const documents = createDocumentService({ ...host, hostId: host.random.id(), watcher, history, unsaved })
  const close = async () => {
    await documents.close()
    watcher.close()
    store.close()
  }
  return { documents, close }
}
