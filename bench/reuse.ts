/** The tokens that the model reads again from page to page, with the anchored body and with the sliding one. */
import type { FitMode } from '../src/shared/domain/drafting/draft-settings.ts'
import { openLoreApp } from '../tests/fakes/rigs/lore-app.ts'
import { type ModelFile, temporaryFolder, tinyModels } from './model-files.ts'
import { type Prose, proseOf, readProse } from './prose.ts'
import { type BenchOptions, number, type Report, ratio } from './report.ts'
import { timed } from './timing.ts'

const contextTokens = 4_096
/** Short, since a tiny model writes noise; what is read does not depend on it. */
const outputTokens = 32
/** Before the first page; more than the context window holds. Units: characters. */
const startChars = 10_000
/** About 200 tokens. */
const pageChars = 240

type Reading = { promptTokens: number; readTokens: number; coldPages: number; ms: number }

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const prose = await readProse()
  const pages = isQuick ? 10 : 50
  const [model] = tinyModels()
  if (model === undefined) throw new Error('no model to measure with')
  const sliding = await writePages(model, prose, 'token_dynamic', pages)
  const anchored = await writePages(model, prose, 'anchored', pages)
  const row = (mode: string, one: Reading) => [
    mode,
    number(one.promptTokens),
    number(one.readTokens),
    number(one.readTokens / pages),
    String(one.coldPages),
    ratio(one.readTokens, sliding.readTokens),
    number(one.ms / 1000),
  ]
  return {
    title: 'Prompt tokens read again from page to page',
    about: [
      `${pages} pages through the whole app and its embedded engine (${model.name}, a window of ${number(contextTokens)} tokens): after each run the novel's next ${pageChars} characters are appended and the next run starts. Text: ${prose.source}, ${number(startChars)} characters before the first page. The figures are the engine's own. Baseline: the sliding body (\`token_dynamic\`), whose beginning moves with every page. A page is cold where more than half of its prompt was read.`,
    ],
    tables: [
      {
        title: `${pages} pages`,
        columns: ['mode', 'prompt tokens', 'read', 'read a page', 'cold pages', 'read, ratio', 'seconds'],
        rows: [row('sliding (baseline)', sliding), row('anchored', anchored)],
      },
    ],
  }
}

async function writePages(model: ModelFile, prose: Prose, fitMode: FitMode, pages: number): Promise<Reading> {
  const files = { '001.txt': proseOf(prose, startChars) }
  const settings = { fitMode, outputTokensGenerate: outputTokens }
  const novel = await openLoreApp(temporaryFolder(), { file: model.file, contextTokens }, files, settings)
  const reading: Reading = { promptTokens: 0, readTokens: 0, coldPages: 0, ms: 0 }
  try {
    for (let page = 0; page < pages; page++) {
      const { ms, result } = await timed(() => novel.draft({ isAccepted: false }))
      const readTokens = (result.promptTokens ?? 0) - (result.reusedTokens ?? 0)
      reading.promptTokens += result.promptTokens ?? 0
      reading.readTokens += readTokens
      reading.coldPages += readTokens * 2 > (result.promptTokens ?? 0) ? 1 : 0
      reading.ms += ms
      const from = startChars + page * pageChars
      await novel.append(proseOf(prose, from + pageChars).slice(from))
    }
    return reading
  } finally {
    await novel.close()
  }
}
