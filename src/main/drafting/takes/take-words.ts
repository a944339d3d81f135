import type { NextWords, TakeBranch } from '../../../shared/domain/drafting/next-words.ts'
import type { PromptPart, TakeRecord } from '../../../shared/domain/drafting/take.ts'
import { AppError } from '../../../shared/errors.ts'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import type { DraftDeps, PreparedDraft, SentDraft } from '../draft-service.ts'
import type { BuiltPrompt } from '../prompt/build-prompt.ts'
import { tokenCounter, toPrompt } from '../prompt/draft-request.ts'

type WordDeps = Pick<DraftDeps, 'takes' | 'activeModel' | 'runs'>

/** Returns the words that the model could write at a place of a take, behind the take's own prompt. */
export async function nextWordsOf(
  deps: WordDeps,
  place: Omit<TakeBranch, 'word'>,
  signal: AbortSignal,
): Promise<NextWords> {
  const record = deps.takes.get(place.takeId)
  const { workId, text } = record.take
  if (deps.runs.list(workId).some(({ state }) => state === 'running'))
    throw new AppError({ code: 'run/busy' })
  const { client } = await deps.activeModel(signal, 'main', 'foreground')
  if (client.nextWords === undefined) throw new AppError({ code: 'model/no-probabilities' })
  // Models write a word with the space before it.
  const at = withoutEnd(text.slice(0, place.at), ' ').length
  const prompt = toPrompt(partsUpTo(record, text.slice(0, at)))
  return { ...(await client.nextWords({ prompt, conversation: `draft ${workId}` }, signal)), at }
}

/** Returns a draft that continues part of a take with that take's prompt: nothing is built or fitted again. */
export async function branchedDraft(
  { takes, places }: Pick<DraftDeps, 'takes' | 'places'>,
  prepared: PreparedDraft,
  { branch: { takeId, at, word }, isEstimateAccepted }: { branch: TakeBranch; isEstimateAccepted: boolean },
  signal: AbortSignal,
): Promise<SentDraft> {
  const record = takes.get(takeId)
  const { take } = record
  const begun = take.text.slice(0, at) + word
  const parts = partsUpTo(record, begun)
  const { model, settings } = prepared
  const context = await model.client.contextWindow(signal)
  if (context === null) throw new AppError({ code: 'model/context-unknown' })
  const counter = tokenCounter(model, isEstimateAccepted)
  const totalTokens = await counter.count(parts, signal, { isPiece: false })
  const roomTokens = context.tokens - totalTokens
  if (roomTokens < 1) {
    throw new AppError({
      code: 'model/context-overflow',
      usedTokens: totalTokens + 1,
      limitTokens: context.tokens,
    })
  }
  const maxTokens = Math.min(settings.outputTokensGenerate, roomTokens)
  const place = places.placeOf(takeId)
  const position = place?.position ?? take.position
  const isMiddle = prepared.following !== '' || record.prompt.some(({ origin }) => origin === 'following')
  return {
    prepared: {
      ...prepared,
      position,
      // Begins behind the accepted part of the take: the new take repeats that part and must not end there.
      following: isMiddle ? (prepared.files.at(-1)?.text.slice(position) ?? '') : '',
      begun: {
        text: begun,
        lead: take.lead,
        maxTokens,
        placeId: take.placeId || takeId,
        ...(place && { from: place.from }),
      },
    },
    fitted: {
      prompt: { task: take.task as BuiltPrompt['task'], instruction: '', input: '', suffix: '', parts },
      totalTokens,
      availableTokens: context.tokens - maxTokens,
      contextTokens: context.tokens,
      isEstimate: counter.isEstimate,
      bodyChars: 0,
      keptChars: 0,
      isShortened: false,
      requestCount: 1,
      cache: undefined,
      lore: null,
      state: null,
      loreRevision: '',
      story: null,
    },
  }
}

function partsUpTo({ prompt, take }: TakeRecord, text: string): PromptPart[] {
  const begun = take.lead + text
  return begun === '' ? prompt : [...prompt, { origin: 'suffix', text: begun }]
}
