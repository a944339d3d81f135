import type { AnswerEvent, Quotation, Quotations } from '../../shared/domain/work/find.ts'
import { AppError } from '../../shared/errors.ts'
import { languageOfText } from '../../shared/text/text-language.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import { type AskingDeps, askModel, fillWords } from './ask-model.ts'
import { splitFrontMatter } from './front-matter.ts'
import { readScanText } from './match-lore.ts'
import { pieceSize, withoutMarks } from './piece-text.ts'

const mostAnswerTokens = 400
/** Maximum number of lines that the model reads on each side of a place. */
const nearLines = 8
/** Maximum length of these lines together, on each side. Units: UTF-16. */
const nearChars = 1_000

type AnswerDeps = AskingDeps & {
  works: Pick<WorkService, 'manuscripts'>
  ask: (workId: string, question: string) => Promise<Quotations>
}

/**
 * Has the model answer a question from the places of the work that share words with it, as many of the first ones as
 * fit into its context. Where no place is found, no model is needed or asked.
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
  const [first] = found.quotations
  if (first === undefined) {
    yield { type: 'places', ...found, given: 0 }
    return
  }
  const model = await deps.activeModel(signal, 'main', 'foreground')
  const words = (await deps.words())[languageOfText(question) ?? deps.windowLanguage()].answer
  const root = deps.works.rootOf(workId)
  const manuscripts = new Set(deps.works.manuscripts(workId).map(({ path }) => path))
  const texts = new Map<string, string>()
  for (const { path } of found.quotations) {
    if (texts.has(path)) continue
    const { text } = await deps.documents.read({ root, path })
    texts.set(path, manuscripts.has(path) ? withoutMarks(text) : readMaterial(text))
  }
  const writePlace: WritePlace = (index, { path, from, to }, near) =>
    `[${index + 1}] ${path}\n${placeText(texts.get(path) ?? '', { from, to }, near)}`
  const places = found.quotations.map((place, index) => writePlace(index, place, nearChars))
  const size = { source: places.join('\n\n'), words: words + question, mostAnswerTokens, answers: 1 }
  const { chars, answerTokens } = await pieceSize(model, size, signal)
  const fitting = thatFit(places, chars)
  const given = fitting.length > 0 ? fitting : [narrowPlace(first, chars, writePlace)]
  yield { type: 'places', ...found, given: given.length }
  const asked = {
    text: fillWords(words, { question, places: given.join('\n\n') }),
    maxTokens: answerTokens,
    seed: Math.floor(deps.random.next() * 2 ** 31),
    conversation: `answer ${workId}`,
  }
  for await (const event of askModel(model, asked, signal))
    if (event.type !== 'preempted' && event.type !== 'usage') yield event
}

/**
 * Returns a material with spaces for front matter and comments, which never reach a model: positions stay. A manuscript
 * has no front matter: a line of hyphens at its beginning is text.
 */
function readMaterial(source: string): string {
  const { bodyFrom } = splitFrontMatter(source)
  return source.slice(0, bodyFrom).replace(/[^\n]/g, ' ') + withoutMarks(source).slice(bodyFrom)
}

type Place = Pick<Quotation, 'path' | 'from' | 'to'>

/** Writes a numbered place with at most `near` characters on each side of it. Units: UTF-16. */
type WritePlace = (index: number, place: Place, near: number) => string

/** Returns a place with the lines around it, without blank lines and readings. */
function placeText(text: string, { from, to }: { from: number; to: number }, near: number): string {
  const before = text
    .slice(Math.max(0, from - near), from)
    .split('\n')
    .slice(-nearLines - 1)
  const after = text
    .slice(to, to + near)
    .split('\n')
    .slice(0, nearLines + 1)
  return `${before.join('\n')}${text.slice(from, to)}${after.join('\n')}`
    .toWellFormed()
    .split('\n')
    .map((line) => readScanText(line).plain.trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** Returns as many of the first places as there is room for. Units: UTF-16. */
function thatFit(places: readonly string[], chars: number): string[] {
  const fitting: string[] = []
  let room = chars
  for (const place of places) {
    room -= place.length
    if (room < 0) break
    fitting.push(place)
  }
  return fitting
}

/** Writes the first place where it is longer than the room: around a word of the question. Units: UTF-16. */
function narrowPlace({ path, from, to, matches }: Quotation, chars: number, write: WritePlace): string {
  const match = matches[Math.floor(matches.length / 2)]
  const word =
    match === undefined ? { path, from, to } : { path, from: from + match.from, to: from + match.to }
  const near = Math.max(0, Math.floor((chars - write(0, word, 0).length) / 2))
  return write(0, word, near).slice(0, chars)
}
