import type { DraftMode, PromptForm } from '../../../shared/domain/draft-details.ts'
import type { DraftSettings } from '../../../shared/domain/draft-settings.ts'
import type { PromptOrigin, PromptPart } from '../../../shared/domain/take.ts'
import type { TemplatePack } from '../../../shared/domain/template-pack.ts'
import { isBlank } from '../../../shared/text/white-space.ts'
import type { DraftWords } from '../draft-words.ts'
import { splitBody } from './body-lines.ts'
import { type DraftTask, draftTask } from './draft-task.ts'
import { type DraftFields, formatMetadata } from './metadata.ts'
import { isSentenceComplete } from './sentence-complete.ts'

/** Everything that a prompt is made of besides the body. */
export type PromptFrame = {
  mode: DraftMode
  /** Default `instruction`. */
  form?: PromptForm
  fields: DraftFields
  rating: 'general' | 'r18'
  settings: Pick<DraftSettings, 'promptOrder' | 'noteHeader' | 'extendedCompleteness'>
  words: DraftWords
  template: Pick<TemplatePack, 'wrapper'>
}

/** Shape: the texts of `parts` joined are the prompt; `wrapper` parts are the template's markers and nothing else. */
export type BuiltPrompt = {
  task: DraftTask
  instruction: string
  input: string
  /** What the answer goes on from, word by word; empty where it starts anew. */
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
  if (frame.form === 'text' && frame.mode === 'generate') return textAlone(frame, body)
  const metadata = formatMetadata(frame.fields, frame.mode, words)
  const task = draftTask(frame.mode, body, metadata)
  const instruction = words.instructions[task] + words.rating.replace('{{rating}}', frame.rating)

  const continued = task.startsWith('CONT') ? continuedInput(frame, body, metadata) : undefined
  const inputParts = continued?.parts ?? [part('reference', metadata)]
  const suffix = continued?.suffix ?? (task.startsWith('GEN') ? body : '')

  const shown = inputParts.filter(({ text }) => text !== '')
  const [before = '', between = ''] = frame.template.wrapper.replace('{{suffix}}', '').split('{{inner}}')
  return {
    task,
    instruction,
    input: joinParts(shown.map(({ text }, i) => part('reference', i === 0 ? text : `\n${text}`))),
    suffix,
    parts: [
      part('wrapper', before),
      part('instruction', instruction),
      ...shown.map(({ origin, text }) => part(origin, `\n${text}`)),
      part('wrapper', between),
      part('suffix', suffix),
    ].filter(({ text }) => text !== ''),
  }
}

export function joinParts(parts: readonly PromptPart[]): string {
  return parts.map(({ text }) => text).join('')
}

/**
 * What a model that follows no instructions goes on from: the fields, the author's note, then the body to its very
 * end. An idea cannot be asked for so: without an instruction nothing says what is wanted.
 */
function textAlone(frame: PromptFrame, body: string): BuiltPrompt {
  const metadata = formatMetadata(frame.fields, frame.mode, frame.words)
  const note = frame.fields.authorsNote
  const lineFrom = body.lastIndexOf('\n') + 1
  const parts = [
    part('reference', metadata === '' ? '' : `${metadata}\n\n`),
    part('note', note === '' ? '' : `${note}\n\n`),
    part('body', body.slice(0, lineFrom)),
    // Spaces before the answer spoil the tokens of its first word; an indent alone is the answer's own beginning.
    part('suffix', isBlank(body.slice(lineFrom)) ? body.slice(lineFrom) : body.slice(lineFrom).trimEnd()),
  ].filter(({ text }) => text !== '')
  const suffix = parts.at(-1)?.origin === 'suffix' ? (parts.at(-1)?.text ?? '') : ''
  return {
    task: draftTask(frame.mode, body, metadata),
    instruction: '',
    input: joinParts(parts.filter(({ origin }) => origin !== 'suffix')),
    suffix,
    parts,
  }
}

function continuedInput(frame: PromptFrame, body: string, metadata: string) {
  const { words, settings } = frame
  const isComplete = isSentenceComplete(body, settings.extendedCompleteness)
  const { main, tail, suffix } = splitBody(body, isComplete)
  const reference = block('reference', words.blocks.reference, metadata)
  const told = block('body', words.blocks.body, main)
  const noteHeader = settings.noteHeader === 'legacy' ? words.blocks.legacyNote : words.blocks.note
  const note = block('note', noteHeader, frame.fields.authorsNote)
  const blocks = settings.promptOrder === 'reference_first' ? [reference, told] : [told, reference]
  return { parts: [...blocks, note, part('tail', tail)], suffix }
}

/** Absent only when its text is empty: a main part of blank lines stays. */
function block(origin: PromptOrigin, header: string, text: string): PromptPart {
  return part(origin, text === '' ? '' : `${header}\n\`\`\`\n${text}\n\`\`\``)
}

function part(origin: PromptOrigin, text: string): PromptPart {
  return { origin, text }
}
