import type { AnswerEvent, Quotations } from '../../shared/domain/work/quotation.ts'
import { AppError } from '../../shared/errors.ts'
import { languageOfText } from '../../shared/text/text-language.ts'
import { type AskingDeps, askModel } from './ask-model.ts'
import { splitFrontMatter } from './front-matter.ts'
import { readScanText } from './match-lore.ts'
import { fillWords } from './memory-words.ts'
import { pieceSize } from './piece-size.ts'
import { withoutMarks } from './piece-text.ts'

const mostAnswerTokens = 400
/** What the model reads on each side of a place: so many lines, of long ones so much. Units: UTF-16. */
const nearLines = 8
const nearChars = 2_000

type AnswerDeps = AskingDeps & { ask: (workId: string, question: string) => Promise<Quotations> }

/**
 * Has the model answer a question from the places of the work that share words with it, as many of the first as its
 * context has room for. Where no place is found no model is needed or asked.
 *
 * Errors: `run/busy` while a run of this work writes; `model/…`; `file/…`.
 */
export async function* answerQuestion(
  deps: AnswerDeps,
  workId: string,
  question: string,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, void, void> {
  if (deps.isWriting(workId)) throw new AppError({ code: 'run/busy' })
  const found = await deps.ask(workId, question)
  if (found.quotations.length === 0) {
    yield { type: 'places', ...found, given: 0 }
    return
  }
  const model = await deps.activeModel(signal)
  const words = (await deps.words())[languageOfText(question) ?? deps.windowLanguage()].answer
  const root = deps.works.rootOf(workId)
  const texts = new Map<string, string>()
  const places: string[] = []
  for (const [index, { path, from, to }] of found.quotations.entries()) {
    const text = texts.get(path) ?? readText((await deps.documents.read({ root, path })).text)
    texts.set(path, text)
    places.push(`[${index + 1}] ${path}\n${placeText(text, from, to)}`)
  }
  const size = { source: places.join('\n\n'), words: words + question, mostAnswerTokens, answers: 1 }
  const { chars, answerTokens } = await pieceSize(model, size, signal)
  const given = thatFit(places, chars)
  yield { type: 'places', ...found, given: given.length }
  const asked = {
    text: fillWords(words, { question, places: given.join('\n\n') }),
    maxTokens: answerTokens,
    seed: Math.floor(deps.random.next() * 2 ** 31),
    conversation: `answer ${workId}`,
  }
  for await (const event of askModel(model, asked, signal)) if (event.type !== 'gave-way') yield event
}

/** The source with front matter and comments, which never reach a model, as spaces: positions stay. */
function readText(source: string): string {
  const { bodyFrom } = splitFrontMatter(source)
  return source.slice(0, bodyFrom).replace(/[^\n]/g, ' ') + withoutMarks(source).slice(bodyFrom)
}

/** A place with the lines around it, without blank ones and readings. */
function placeText(text: string, from: number, to: number): string {
  const before = text.slice(Math.max(0, from - nearChars), from).split('\n')
  const after = text.slice(to, to + nearChars).split('\n')
  const near = [
    before.slice(-nearLines - 1).join('\n'),
    text.slice(from, to),
    after.slice(0, nearLines + 1).join('\n'),
  ]
  return near
    .join('')
    .split('\n')
    .map((line) => readScanText(line).plain.trim())
    .filter((line) => line !== '')
    .join('\n')
    .toWellFormed()
}

/** As many of the first as there is room for, and always some of the first. Units: UTF-16. */
function thatFit(places: readonly string[], chars: number): string[] {
  const [first = '', ...rest] = places
  const fitting = [first.slice(0, chars)]
  let room = chars - first.length
  for (const place of rest) {
    room -= place.length
    if (room < 0) break
    fitting.push(place)
  }
  return fitting
}
