import type { KnownFile } from '../../../../shared/domain/session/file-reference.ts'
import { clipLine } from '../../../../shared/text/clip-line.ts'
import { estimateTextTokens } from '../../../tokens/token-estimate.ts'
import type { RequestContext, RequestHooks } from '../agent-model.ts'
import type { AgentModelDeps, AgentRequests } from '../agent-request.ts'
import { cutOf, cutText } from './prompt-cut.ts'
import type { PromptEntry } from './prompt-entry.ts'
import { renderLog } from './prompt-messages.ts'
import { countPrompt } from './prompt-room.ts'

/** Turns and summaries that a compaction keeps verbatim. Source: `docs/decisions/sessions.md`, point 23. */
const keptTurns = 3
const keptSummaries = 5
/** Units: graphemes. */
const messageLimit = 100
/** Share of the context window that the verbatim turns may fill. Beyond it the oldest tool results are left out. */
const tailShare = 0.3
/** Shares that the summaries and the files get. Source: `docs/decisions/sessions.md`, point 23. */
const summaryShare = 0.1
const filesShare = 0.25

export type Compaction = Awaited<ReturnType<typeof compactLog>>

/**
 * Summarises the turns that no summary covers and returns the log that replaces the current one: the folder's
 * instructions, the last summaries, the current contents of files in use, and the last turns verbatim.
 *
 * Errors: as a request; throws the signal's reason when stopped.
 */
export async function compactLog(
  requests: AgentRequests,
  deps: AgentModelDeps,
  context: RequestContext,
  hooks: RequestHooks,
  signal: AbortSignal,
) {
  const { log, turn, language } = context
  const prompts = deps.prompts[language]
  const active = await requests.active(signal)
  const window = await active.client.contextWindow(signal)
  const contextTokens = window?.tokens ?? 8_192
  const perToken = charactersPerToken(log)
  const characters = Math.floor(contextTokens * summaryShare * perToken * 0.8)
  const text = prompts.render('compaction', { characters: String(characters) })
  const prepared = await requests.prepare({
    active,
    context,
    purpose: 'compaction',
    hasSituation: false,
    wanted: () => [{ key: 'ask:compaction', full: text, again: text }],
    signal,
  })
  const answer = await requests.send(prepared, context, { isProse: true, canCall: false }, hooks, signal)
  signal.throwIfAborted()
  const summary = answer.text.trim() || ownWords(log)

  const rendering = requests.rendering(active, context)
  // Scales estimates by the prompt that was just counted.
  const whole = prepared.prompt.parts.map((part) => part.text).join('')
  const scale = prepared.prompt.promptTokens / Math.max(1, estimateTextTokens(whole))
  const tokensOf = (part: string) => estimateTextTokens(part) * scale

  const summaries = lastWithin(
    [...log.filter(({ kind }) => kind === 'summary').map((entry) => entry.text), summary],
    keptSummaries,
    contextTokens * summaryShare,
    tokensOf,
  )
  const files = await filesAgain(deps, contextTokens * filesShare, tokensOf, signal)
  const tail = tailOf(log, prompts.render('cut-result', {}), contextTokens * tailShare, tokensOf)
  const compacted: PromptEntry[] = [
    ...log.filter(({ kind }) => kind === 'instructions'),
    ...log.filter(({ kind }) => kind === 'surroundings'),
    ...summaries.map((one): PromptEntry => ({ turn, role: 'user', kind: 'summary', text: one })),
    ...files.map((one): PromptEntry => ({ turn, role: 'user', kind: 'file', ...one })),
    ...tail,
  ]
  // Counts both logs, not the request for the summary, which may itself have been cut to fit.
  const before = await countPrompt(active.client, renderLog(log, rendering), 1, signal)
  const after = await countPrompt(active.client, renderLog(compacted, rendering), 1, signal)
  return {
    log: compacted,
    summary,
    tokensBefore: before.tokens,
    tokensAfter: after.tokens,
    usage: answer.usage,
  }
}

/** Returns the user's messages since the last summary, clipped: the summary where the model wrote none. */
function ownWords(log: readonly PromptEntry[]): string {
  const from = log.findLastIndex(({ kind }) => kind === 'summary')
  const asked = log.slice(from + 1).filter(({ kind }) => kind === 'message')
  return asked.map(({ text }) => `- ${clipLine(text, messageLimit)}`).join('\n')
}

function charactersPerToken(log: readonly PromptEntry[]): number {
  const text = log.map((entry) => entry.text).join('')
  return text === '' ? 1 : text.length / Math.max(1, estimateTextTokens(text))
}

/** Returns the newest texts that fit, and always the newest itself. */
function lastWithin(
  texts: readonly string[],
  most: number,
  tokens: number,
  tokensOf: (text: string) => number,
): string[] {
  const kept: string[] = []
  let used = 0
  for (const text of texts.toReversed()) {
    used += tokensOf(text)
    if (kept.length > 0 && (kept.length >= most || used > tokens)) break
    if (text !== '') kept.unshift(text)
  }
  return kept
}

/** Returns the current contents of files in use, newest first, as far as they fit. */
async function filesAgain(
  { toolbox, readLines }: AgentModelDeps,
  tokens: number,
  tokensOf: (text: string) => number,
  signal: AbortSignal,
): Promise<{ text: string; file: KnownFile }[]> {
  const texts: { text: string; file: KnownFile }[] = []
  let left = tokens
  for (const file of toolbox.filesInUse()) {
    const read = await readLines(file, signal)
    if (read === null) continue
    const headed = `${file.path}:${file.from}-${file.to}\n${read.text}`
    const cost = tokensOf(headed)
    if (cost > left) continue
    left -= cost
    texts.push({ text: headed, file: { ...file, hash: read.hash } })
  }
  return texts
}

/**
 * Returns the last turns verbatim. Blocks no longer count as told, so that the next one tells everything; cuts become
 * permanent, and where the tail is too large its oldest evidence is cut as well.
 */
function tailOf(
  log: readonly PromptEntry[],
  stub: string,
  tokens: number,
  tokensOf: (text: string) => number,
): PromptEntry[] {
  const turns = [...new Set(log.filter(({ kind }) => kind === 'message').map(({ turn }) => turn))]
  const from = turns.at(-keptTurns) ?? 0
  const cut = cutOf(log)
  const left = new Set(['base', 'instructions', 'surroundings', 'summary', 'cut'])
  const kept = log.flatMap((entry, index) => {
    if (entry.turn < from || left.has(entry.kind)) return []
    const { told: _, thought, images, ...rest } = entry
    const isCut = cut.entries.includes(index)
    // Only the turn that goes on needs what the model thought before its calls.
    const isThoughtKept = thought !== undefined && !isCut && entry.turn === turns.at(-1)
    const kept = { ...(isThoughtKept && { thought }), ...(images !== undefined && !isCut && { images }) }
    return [{ ...rest, ...kept, text: cutText(entry, index, cut, stub) }]
  })
  let over = kept.reduce((sum, entry) => sum + tokensOf(entry.text), 0) - tokens
  return kept.map((entry) => {
    const isEvidence = entry.kind === 'result' || entry.kind === 'file'
    if (over <= 0 || !isEvidence) return entry
    over -= tokensOf(entry.text)
    return { ...entry, text: stub }
  })
}
