import { z } from 'zod'
import { isOfFrontMatter, type LoreEntry } from '../../../shared/domain/lore/lore.ts'
import type { CheckEvent, Contradiction } from '../../../shared/domain/lore/mentions.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Span } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { aroundPlaces } from '../../../shared/text/places/around-place.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { constraintFor } from '../../agent/model/answer-grammar.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { startThread } from '../../platform/node/limited-thread.ts'
import type { WorkService } from '../../workspace/work/work-service.ts'
import { type AskingDeps, askModel, fillWords } from '../ask-model.ts'
import { splitFrontMatter } from '../front-matter.ts'
import { isInForce, type KeyHit, matchEntry, readScanText } from '../match-lore.ts'
import { contextChars, createMentionSearch, type MentionSearch } from '../mentions.ts'
import { passagesAround, pieceSize, pieceText, withoutMarks } from '../piece-text.ts'
import type { ListedLore } from '../read-materials.ts'

/** Longest passage: a model judges a short passage better than a long one. Units: UTF-16. */
const limitPassageChars = 1_200
const limitEntryChars = 4_000
const mostAnswerTokens = 600
/** Most mentions of one entry in a chapter; further ones are in the same passages. */
const limitHits = 2_000
/** Shortest quotation that proves anything. Units: UTF-16. */
const leastQuotation = 2

const Judgement = z.object({
  contradicts: z.enum(['yes', 'no']),
  text: z.string().max(200),
  entry: z.string().max(200),
  reason: z.string().max(200),
})
type Judgement = z.infer<typeof Judgement>

/** A passage of the chapter and a piece of the entry, as the model reads them. `offsets`: of `text`, in the chapter. */
type Pair = { entry: LoreEntry; piece: string; text: string; offsets: Int32Array }

type CheckDeps = AskingDeps & {
  works: Pick<WorkService, 'manuscripts'>
  list: (workId: string) => Promise<Pick<ListedLore, 'entries' | 'unread'>>
  /** Starts the thread that expressions are looked for in. */
  startThread?: typeof startThread
}

/**
 * Lists contradictions between a chapter and the entries that it mentions. The model judges pair by pair; a claim
 * counts only where both of its quotations occur literally in what the model was shown.
 *
 * Errors: `run/busy` while a run of this work writes; `model/…`; `file/…`.
 */
export async function* checkChapter(
  deps: CheckDeps,
  workId: string,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<CheckEvent, void, void> {
  if (deps.isWriting(workId)) throw new AppError({ code: 'run/busy' })
  const root = deps.works.rootOf(workId)
  const chapterNumber = deps.works.manuscripts(workId).findIndex((file) => file.path === path) + 1
  if (chapterNumber === 0) throw new AppError({ code: 'file/not-found', path })
  const { text: source } = await deps.documents.read({ root, path })
  const text = withoutMarks(source)
  const { entries, unread } = await deps.list(workId)
  const mentioned: { entry: LoreEntry; hits: KeyHit[] }[] = []
  // Prepared once: doing it again for each entry of a large lorebook would block the host for minutes.
  const search = createMentionSearch(readScanText(text), limitHits, deps.startThread)
  try {
    for (const entry of entries) {
      const hits = await mentionsOf(search, entry, chapterNumber)
      if (hits.length > 0) mentioned.push({ entry, hits })
      signal.throwIfAborted()
    }
  } finally {
    await search.end()
  }
  const begun = {
    type: 'begun' as const,
    entries: mentioned.length,
    failedKeys: search.failed(),
    off: entries.filter(({ problems }) => problems.some(isOfFrontMatter)).map((entry) => entry.path),
    unread,
  }
  if (mentioned.length === 0) {
    yield { ...begun, pairs: 0 }
    return
  }
  const model = await deps.activeModel(signal, 'main', 'foreground')
  const words = (await deps.words())[languageOfText(source) ?? deps.windowLanguage()].check
  const sizes = await pieceSize(model, { source, words, mostAnswerTokens, answers: 1 }, signal)
  const pairs = mentioned.flatMap(({ entry, hits }) => pairsOf(text, entry, hits, sizes.chars))
  yield { ...begun, pairs: pairs.length }
  const schema = z.toJSONSchema(Judgement)
  const constraint = constraintFor(model.client, schema)
  for (const [index, pair] of pairs.entries()) {
    yield { type: 'pair', pair: index, name: pair.entry.name }
    const asked = {
      text: fillWords(words, { name: pair.entry.name, entry: pair.piece, text: pair.text }),
      maxTokens: sizes.answerTokens,
      seed: Math.floor(deps.random.next() * 2 ** 31),
      conversation: `check ${workId}`,
      priority: 'background',
      ...(constraint && { constraint }),
    } as const
    const judgement = readJudgement(await answerOf(model, asked, signal))
    if (judgement === undefined) yield { type: 'unreadable' }
    else if (judgement.contradicts === 'yes') {
      const { text: entryFile } = await deps.documents.read({ root, path: pair.entry.path })
      const contradiction = proven(pair, judgement, source, entryFile)
      yield contradiction === undefined ? { type: 'unproven' } : { type: 'contradiction', contradiction }
    }
  }
}

/** Returns the whole answer; a question that a request of the user preempted is asked again. */
async function answerOf(model: ActiveModel, asked: Parameters<typeof askModel>[1], signal: AbortSignal) {
  for (;;) {
    let answer = ''
    let wasPreempted = false
    for await (const event of askModel(model, asked, signal)) {
      if (event.type === 'preempted') wasPreempted = true
      // A judgement that was cut is unreadable.
      else if (event.type === 'text' || event.type === 'replace')
        answer = event.type === 'text' ? answer + event.text : event.text
    }
    if (!wasPreempted) return answer
  }
}

/** Returns where a chapter mentions an entry that is in force in it, by the rules of matching. */
async function mentionsOf(search: MentionSearch, entry: LoreEntry, chapterNumber: number): Promise<KeyHit[]> {
  if (!isInForce(entry, chapterNumber)) return []
  const byKey = new Map<string, KeyHit[]>()
  for (const key of [...entry.keys, ...entry.also, ...entry.never]) byKey.set(key, await search.hitsOf([key]))
  if (matchEntry(entry, chapterNumber, (key) => byKey.get(key)?.at(-1)) === undefined) return []
  return search.hitsOf(entry.keys)
}

/** Returns the pairs, grouped by the piece of the entry: the model reuses what it has read of the piece. */
function pairsOf(text: string, entry: LoreEntry, hits: readonly Span[], roomChars: number): Pair[] {
  const passageChars = Math.min(limitPassageChars, Math.floor(roomChars / 2))
  const passages = passagesAround(text, hits, passageChars).flatMap(({ from, to }) => {
    const { plain, plainOffsets } = readScanText(text.slice(from, to))
    return plain.trim() === '' ? [] : { text: plain, offsets: plainOffsets.map((offset) => from + offset) }
  })
  const pieces = pieceText(entry.text, Math.min(limitEntryChars, roomChars - passageChars))
  return pieces.flatMap((piece) => passages.map((passage) => ({ entry, piece, ...passage })))
}

/** Reads a judgement. An unconstrained model may write text around the object. */
function readJudgement(answer: string): Judgement | undefined {
  try {
    const object = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
    return Judgement.safeParse(JSON.parse(object)).data
  } catch {
    return undefined
  }
}

function proven(
  { entry, piece, text, offsets }: Pair,
  judgement: Judgement,
  source: string,
  entryFile: string,
): Contradiction | undefined {
  const [inText, inEntry] = [judgement.text.trim(), judgement.entry.trim()]
  if (inText.length < leastQuotation || inEntry.length < leastQuotation) return undefined
  const at = text.indexOf(inText)
  const entryAt = piece.includes(inEntry)
    ? entryFile.indexOf(inEntry, splitFrontMatter(entryFile).bodyFrom)
    : -1
  if (at < 0 || entryAt < 0) return undefined
  const textSpan = { from: offsets[at] ?? 0, to: offsets[at + inText.length] ?? source.length }
  const [textPlace] = aroundPlaces(source, [textSpan], contextChars)
  const entrySpan = { from: entryAt, to: entryAt + inEntry.length }
  const [entryPlace] = aroundPlaces(entryFile, [entrySpan], contextChars)
  if (textPlace === undefined || entryPlace === undefined) return undefined
  return {
    entry: entry.path,
    name: entry.name,
    inText: textPlace,
    inEntry: entryPlace,
    reason: judgement.reason.replace(/\s+/g, ' ').trim(),
  }
}
