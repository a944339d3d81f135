/** The filter of suggestions over many texts, and how long a ghost takes: behind the conversation and by itself. */
import { fileURLToPath } from 'node:url'
import { createSuggestionFilter } from '../src/main/suggestions/suggestion-filter.ts'
import { loadSuggestionWords } from '../src/main/suggestions/suggestion-words.ts'
import { readProse } from './prose.ts'
import { type BenchOptions, comparisonTable, type Report } from './report.ts'
import { ghostTables, smolFile } from './suggestion-ghost.ts'
import { medianTime } from './timing.ts'

const resourcesDir = fileURLToPath(new URL('../resources/', import.meta.url))
const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })
const english = ['run the tests', 'commit this', 'great, now push it', 'Let me see', 'e.g. use a cache', 'ok']

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const count = isQuick ? 10_000 : 100_000
  const turns = isQuick ? 3 : 5
  const prose = await readProse()
  const filterReason = createSuggestionFilter(await loadSuggestionWords(resourcesDir))
  const japanese = Array.from({ length: count }, (_, i) => {
    const from = (i * 37) % (prose.text.length - 64)
    return prose.text.slice(from, from + 4 + (i % 60)).replaceAll('\n', ' ')
  })
  const latin = Array.from({ length: count }, (_, i) => `${english[i % english.length]} ${i}`)
  // Long runs of characters over which a pattern might backtrack.
  const hostile = Array.from({ length: count }, (_, i) => '.*(!a '.charAt(i % 6).repeat(1_000) + i)
  const compare = async (measure: string, texts: readonly string[]) => ({
    measure,
    unit: 'ms' as const,
    value: await medianTime(3, () => {
      for (const text of texts) filterReason(text)
    }),
    baseline: await medianTime(3, () => {
      for (const text of texts) for (const _ of segmenter.segment(text));
    }),
  })
  return {
    title: 'Suggestions',
    about: [
      `The filter: ${count.toLocaleString('en')} texts each. Japanese: pieces of 4 to 63 characters of ${prose.source}. Hostile: one character a thousand times. The baseline counts the graphemes of the same texts with \`Intl.Segmenter\`. The middle of 3.`,
      `The ghost: ${turns} turns of a message, the model's decision and a reply on the embedded engine; what it says is prescribed by a grammar, the same in every way, so that only reading differs, and the counts are its own. Baseline: the last entries alone, as a conversation that the engine has not seen yet; *warm* is the same on a cache of its own that has seen the turn before, as a fast model has it; *shared* goes behind the conversation. Then a suggested message that is sent, read in advance while nobody typed, beside one that is not. The middle of all turns.`,
      ...(smolFile() === null
        ? ['Skipped, since its file is neither in TSUGI_TEST_MODELS nor in the data folder: SmolLM2.']
        : []),
    ],
    tables: [
      comparisonTable('The filter, all texts', 'graphemes counted', [
        await compare('Japanese', japanese),
        await compare('English', latin),
        await compare('hostile, a tenth as many', hostile.slice(0, count / 10)),
      ]),
      ...(await ghostTables(turns)),
    ],
  }
}
