/** *Ask the work*: how many answers of a whole novel stand among the first quotations, without any model. */
import { readFile } from 'node:fs/promises'
import { indexFile, rankQuotations } from '../src/main/find/rank-quotations.ts'
import type { Quotation } from '../src/shared/domain/work/quotation.ts'
import { readProse } from './prose.ts'
import { comparisonTable, type Report } from './report.ts'
import { timed } from './timing.ts'

type Asked = { question: string; quotation: string }

const firstOnes = 5
const goal = 0.9
const words = new Intl.Segmenter('ja', { granularity: 'word' })

/** Errors: where a quotation stands nowhere in the novel, or two words in a row give its line away. */
export async function measure(): Promise<Report> {
  const { text, source } = await readProse()
  const asked: Asked[] = JSON.parse(await readFile(new URL('ask-questions.json', import.meta.url), 'utf8'))
  const lines = text.split('\n')
  if (!text.includes(asked[0]?.quotation ?? ''))
    return {
      title: 'Ask the work',
      about: [`Not measured: the questions are not about ${source}.`],
      tables: [],
    }
  const answers = asked.map(({ question, quotation }) => {
    const at = lines.findIndex((line) => line.includes(quotation))
    if (at < 0) throw new Error(`Nowhere in the novel: ${quotation}`)
    const shared = sharedPair(question, lines[at] ?? '')
    if (shared !== undefined) throw new Error(`"${question}" shares "${shared}" with its line.`)
    return { question, line: at + 1, lineText: (lines[at] ?? '').trim() }
  })
  const { ms, result: file } = await timed(() => indexFile('novel.txt', text))
  const rows = answers.map(({ question, line, lineText }) => {
    const found = rankQuotations([file], question, firstOnes)
    const rank = found.findIndex((one) => isShown(one, line, lineText)) + 1
    return { question, line, rank, isBest: found.some((one) => one.line === line) }
  })
  const shareOf = (count: number) => count / rows.length
  const recall = shareOf(rows.filter(({ rank }) => rank > 0).length)
  return {
    title: 'Ask the work',
    about: [
      `${rows.length} questions about ${source}, written from its text by a reader who has not seen the code; none shares two content words in a row with the line that answers it. No model is asked.`,
      `Found: the line stands in one of the first ${firstOnes} quotations, each a line with its scene. Two constants of the ranking were chosen by these questions and thirty earlier ones.`,
    ],
    tables: [
      {
        title: 'Recall',
        columns: ['measure', 'share', 'goal', 'met'],
        rows: [
          [
            `line among the first ${firstOnes}`,
            recall.toFixed(2),
            `≥ ${goal}`,
            recall >= goal ? 'yes' : 'no',
          ],
          [
            'line itself in the middle of its quotation',
            shareOf(rows.filter(({ isBest }) => isBest).length).toFixed(2),
            '',
            '',
          ],
          [
            'line in the first quotation',
            shareOf(rows.filter(({ rank }) => rank === 1).length).toFixed(2),
            '',
            '',
          ],
        ],
      },
      comparisonTable('Time', '', [{ measure: 'reading the novel once', unit: 'ms', value: ms }]),
      {
        title: 'Questions',
        columns: ['question', 'line', 'among the first five'],
        rows: rows.map(({ question, line, rank }) => [question, String(line), rank === 0 ? 'no' : `${rank}`]),
      },
    ],
  }
}

function isShown({ line, before, after }: Quotation, wanted: number, text: string): boolean {
  return line === wanted || (text !== '' && `${before}\n${after}`.split('\n').includes(text))
}

/** Two content words in a row of the question that stand in a row in the line, too. */
function sharedPair(question: string, line: string): string | undefined {
  const own = contentWords(question)
  const other = contentWords(line)
  for (let at = 0; at + 1 < own.length; at += 1) {
    const isShared = other.some((word, i) => word === own[at] && other[i + 1] === own[at + 1])
    if (isShared) return `${own[at]} ${own[at + 1]}`
  }
  return undefined
}

function contentWords(text: string): string[] {
  return [...words.segment(text)]
    .filter(({ isWordLike, segment }) => isWordLike && !/^\p{Script=Hiragana}+$/u.test(segment))
    .map(({ segment }) => segment)
}
