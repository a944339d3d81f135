import type { DialogueLevel, DraftMode, PromptForm } from '../../../shared/domain/drafting/draft-details.ts'
import type { DraftSettings } from '../../../shared/domain/drafting/draft-settings.ts'
import type { PromptOrigin, PromptPart } from '../../../shared/domain/drafting/take.ts'
import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { isBlank } from '../../../shared/text/white-space.ts'
import type { DraftWords } from '../draft-words.ts'
import { type DraftTask, draftTask, isSentenceComplete, splitBody } from './body-lines.ts'
import type { FimTokens, FollowingText } from './following-text.ts'

export type PromptFrame = {
  mode: DraftMode
  /** Default `instruction`. */
  form?: PromptForm
  fields: DraftFields
  rating: 'general' | 'r18'
  settings: Pick<DraftSettings, 'promptOrder' | 'noteHeader' | 'extendedCompleteness'>
  words: DraftWords
  /** Entries as texts: `standing` behind the fields, `recent` near the end. Default: none. */
  lore?: { standing: string; recent: string }
  /** Summaries of what stands before the body. Default: none. */
  story?: string
  /** Text that the continuation has to lead to. Default: none. */
  following?: FollowingText
  /** A passage to rewrite in place of a continuation: the prompt is a page's up to where its answer would begin. */
  rewrite?: PassageToRewrite
  template: Pick<TemplatePack, 'wrapper'>
}

/** Shape: `before` and `after` stand around the passage; they are sent where the prompt's body does not hold it. */
type PassageToRewrite = { passage: string; before: string; after: string; instruction: string }

/** Shape: the texts of `parts` joined are the prompt; `wrapper` parts are the template's markers and nothing else. */
export type BuiltPrompt = {
  task: DraftTask
  instruction: string
  input: string
  /** The literal text that the answer continues; empty where it begins a new line. */
  suffix: string
  parts: PromptPart[]
}

/**
 * Builds the prompt for a body that has been prepared, rolled and cut.
 *
 * Source: *Novel prompts* part 2, with the decisions of `docs/decisions/drafting.md`.
 */
export function buildPrompt(frame: PromptFrame, body: string): BuiltPrompt {
  const { words } = frame
  const fim = frame.mode === 'generate' && !frame.rewrite ? frame.following?.fim : undefined
  if (fim) return filledIn(frame, body, fim)
  if (frame.form === 'text' && frame.mode === 'generate') return textAlone(frame, body)
  const metadata = formatMetadata(frame.fields, frame.mode, words)
  const task = taskOf(frame, body, metadata)
  const instruction = words.instructions[task] + words.rating.replace('{{rating}}', frame.rating)

  const continued = task.startsWith('CONT') ? continuedInput(frame, body, metadata) : undefined
  const told = continued?.groups ?? [referenceParts(frame, metadata, true), followingBlock(frame)]
  const groups = frame.rewrite ? [...told, [rewritePart(frame, frame.rewrite, told.flat())]] : told
  const suffix = frame.rewrite ? '' : (continued?.suffix ?? (task.startsWith('GEN') ? body : ''))

  const shown = groups.flatMap((group) =>
    group
      .filter(({ text }) => text !== '')
      .map(({ origin, text }, i) => part(origin, i === 0 ? `\n${text}` : text)),
  )
  const [before = '', between = ''] = frame.template.wrapper.replace('{{suffix}}', '').split('{{inner}}')
  return {
    task,
    instruction,
    input: joinParts(shown).slice(1),
    suffix,
    parts: [
      part('wrapper', before),
      part('instruction', instruction),
      ...shown,
      part('wrapper', between),
      part('suffix', suffix),
    ].filter(({ text }) => text !== ''),
  }
}

export function joinParts(parts: readonly PromptPart[]): string {
  return parts.map(({ text }) => text).join('')
}

/**
 * Builds the prompt of a model that follows no instructions: the fields, the author's note, then the body to its very
 * end. This form cannot ask for an idea: without an instruction nothing says what is wanted.
 */
function textAlone(frame: PromptFrame, body: string): BuiltPrompt {
  const metadata = formatMetadata(frame.fields, frame.mode, frame.words)
  const note = frame.fields.authorsNote
  const lineFrom = body.lastIndexOf('\n') + 1
  const isContinued = taskOf(frame, body, metadata).startsWith('CONT')
  const told = referenceParts(frame, metadata, !isContinued).filter(({ text }) => text !== '')
  const recent = isContinued ? (frame.lore?.recent ?? '') : ''
  const main = recent === '' ? body.slice(0, lineFrom) : splitBody(body.slice(0, lineFrom), true).main
  const parts = [
    ...told.map(({ origin, text }, i) => part(origin, i === told.length - 1 ? `${text}\n\n` : text)),
    part('note', note === '' ? '' : `${note}\n\n`),
    part('body', main),
    part('recentLore', recent === '' ? '' : `\n\n${frame.words.blocks.recentLore}\n${recent}\n\n`),
    part('tail', body.slice(main.length, lineFrom)),
    // Spaces before the answer spoil the tokens of its first word; a lone indent stays as the answer's beginning.
    part('suffix', isBlank(body.slice(lineFrom)) ? body.slice(lineFrom) : body.slice(lineFrom).trimEnd()),
  ].filter(({ text }) => text !== '')
  if (frame.rewrite) {
    const { origin, text } = rewritePart(frame, frame.rewrite, parts)
    parts.push(part(origin, `${parts.length === 0 ? '' : '\n\n'}${text}\n`))
  }
  const suffix = parts.at(-1)?.origin === 'suffix' ? (parts.at(-1)?.text ?? '') : ''
  return {
    task: taskOf(frame, body, metadata),
    instruction: '',
    input: joinParts(parts.filter(({ origin }) => origin !== 'suffix')),
    suffix,
    parts,
  }
}

/** Builds the prompt of a model with fill-in tokens: the text before the place, then the text after it. */
function filledIn(frame: PromptFrame, body: string, { prefix, suffix, middle }: FimTokens): BuiltPrompt {
  const before = textAlone(frame, body)
  return {
    ...before,
    parts: [
      part('wrapper', prefix),
      ...before.parts,
      part('wrapper', suffix),
      part('following', frame.following?.text ?? ''),
      part('wrapper', middle),
    ],
  }
}

function continuedInput(frame: PromptFrame, body: string, metadata: string) {
  const { words, settings } = frame
  const isComplete = isSentenceComplete(body, settings.extendedCompleteness)
  const { main, tail, suffix } = splitBody(body, isComplete)
  const reference = blockOf(words.blocks.reference, referenceParts(frame, metadata, false))
  const told = block('body', words.blocks.body, main)
  const recent = block('recentLore', words.blocks.recentLore, frame.lore?.recent ?? '')
  const noteHeader = settings.noteHeader === 'legacy' ? words.blocks.legacyNote : words.blocks.note
  const note = block('note', noteHeader, frame.fields.authorsNote)
  const blocks = settings.promptOrder === 'reference_first' ? [reference, told] : [told, reference]
  return { groups: [...blocks, recent, followingBlock(frame), note, [part('tail', tail)]], suffix }
}

/** Returns the following text. It stands behind the body, which is then not read again when the place moves on. */
function followingBlock({ words, following }: PromptFrame): PromptPart[] {
  if (following === undefined || following.text === '') return []
  const [text] = block('following', words.blocks.following, following.text.trim())
  return [part('following', `${words.following}\n${text?.text ?? ''}`)]
}

/** Returns the request of a rewrite. It stands last, so that the model has read all before it for the page. */
function rewritePart(
  { words }: PromptFrame,
  { passage, before, after, instruction }: PassageToRewrite,
  told: readonly PromptPart[],
): PromptPart {
  const around = joinParts(told).includes(passage) ? '' : before + passage + after
  const blocks = [
    ...block('rewrite', words.blocks.around, around === passage ? '' : around),
    ...block('rewrite', words.blocks.passage, passage),
    part(
      'rewrite',
      `${words.blocks.request}\n${words.rewrite.replace('{{instruction}}', () => instruction)}`,
    ),
  ]
  return part('rewrite', blocks.map(({ text }) => text).join('\n'))
}

/** Returns the task. Lore and summaries count as information about the work, as its fields do. */
function taskOf(frame: PromptFrame, body: string, metadata: string): DraftTask {
  const { lore, story } = frame
  return draftTask(
    frame.mode,
    body,
    [metadata, lore?.standing, lore?.recent, story].filter(Boolean).join('\n'),
  )
}

/** Returns the fields, the lore behind them and the story so far, with blank lines between them. */
function referenceParts(frame: PromptFrame, metadata: string, isAllLore: boolean): PromptPart[] {
  const { lore, story = '' } = frame
  const shown = [
    part('reference', metadata),
    part('lore', lore?.standing ?? ''),
    part('recentLore', isAllLore ? (lore?.recent ?? '') : ''),
    part('story', story === '' ? '' : `# ${frame.words.story}:\n${story}`),
  ].filter(({ text }) => text !== '')
  return shown.map(({ origin, text }, i) => part(origin, i === 0 ? text : `\n\n${text}`))
}

/** Puts parts between a header and its end. */
function blockOf(header: string, parts: readonly PromptPart[]): PromptPart[] {
  return parts.map(({ origin, text }, i) =>
    part(origin, `${i === 0 ? `${header}\n\`\`\`\n` : ''}${text}${i === parts.length - 1 ? '\n```' : ''}`),
  )
}

/** Returns a block, absent only where its text is empty: a main part of blank lines stays. */
function block(origin: PromptOrigin, header: string, text: string): PromptPart[] {
  return text === '' ? [] : blockOf(header, [part(origin, text)])
}

function part(origin: PromptOrigin, text: string): PromptPart {
  return { origin, text }
}

/** The details as the prompt shows them: rolled, trimmed, empty tags dropped. */
export type DraftFields = {
  title: string
  keywords: readonly string[]
  genres: readonly string[]
  synopsis: string
  setting: string
  plot: string
  dialogueLevel: DialogueLevel
  authorsNote: string
}

/**
 * Lists the details under their headers; empty when there are none.
 *
 * An idea's prompt does not have the dialogue level.
 */
export function formatMetadata(fields: DraftFields, mode: DraftMode, words: DraftWords): string {
  const { dialogueLevel } = fields
  const names = words.fields
  const sections: [name: string, value: string][] = [
    [names.title, fields.title],
    [names.keywords, fields.keywords.join('\n')],
    [names.genres, fields.genres.join('\n')],
    [names.synopsis, fields.synopsis],
    [names.setting, fields.setting],
    [names.plot, fields.plot],
  ]
  if (mode === 'generate' && dialogueLevel !== 'none')
    sections.push([names.dialogueLevel, words.dialogueLevels[dialogueLevel]])
  return sections
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `# ${name}:\n${value}`)
    .join('\n\n')
}
