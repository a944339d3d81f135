import { isBlank } from '../../shared/text/white-space.ts'
import type { RunReporter } from '../runs/run-registry.ts'
import type { PreparedDraft } from './draft-service.ts'
import { watchMeeting } from './meet-following.ts'
import { readFollowing } from './prompt/following-text.ts'
import { type ProseEnd, type ProseWatch, watchProse } from './prose-watch.ts'
import { rewrittenText } from './rewrite-passage.ts'

const fence = '```'

/** The model's text as the manuscript would take it: joined to what stands before it. */
export type DraftAnswer = ReturnType<typeof createAnswer>

/** Reads the answer of a run and reports its text as it would stand in the manuscript. */
export function createAnswer(prepared: PreparedDraft, report: RunReporter) {
  const { textBefore, request, frame, draft, begun } = prepared
  const following = readFollowing(prepared.following)
  const isIdea = request.mode === 'idea'
  let raw = ''
  let suffix = ''
  let isWhole = false
  const { rewrite } = request
  // A fence around a rewritten passage is removed; around a continuation it ends the prose.
  const known = rewrite ? `${draft.body}\n${fence}` : draft.body
  const newWatch = () => {
    if (isIdea) return null
    const prose = watchProse(frame.words, known, suffix === '')
    return following === '' ? prose : watchMeeting(prose, following)
  }
  let watch = newWatch()
  const shown = () => {
    if (rewrite) return rewrittenText(raw, rewrite.original, isWhole)
    return begun || isIdea ? raw : joinTake(textBefore, suffix, raw).text
  }
  const show = (text: string) => {
    raw += text
    const before = report.run.text
    // Joining drops text only at the beginning: what is shown stays a prefix, except for the lines of a loop.
    if (watch !== null && takesBack(watch)) raw = watch.text
    const after = shown()
    if (after.startsWith(before)) report.text(after.slice(before.length))
    else report.replace(after)
  }
  return {
    /** Sets how the answer joins the text before it; returns what goes before its first character. */
    join(promptSuffix: string): string {
      suffix = promptSuffix
      watch = newWatch()
      if (begun) {
        raw = watch?.push(begun.text) ?? ''
        return begun.lead
      }
      return isIdea || rewrite ? '' : joinTake(textBefore, suffix, '').lead
    },
    add(text: string): void {
      const added = withoutReturns(text)
      show(watch === null ? added : watch.push(added))
    },
    replace(text: string): void {
      watch = newWatch()
      const whole = (begun?.text ?? '') + withoutReturns(text)
      raw = watch === null ? whole : watch.push(whole)
      if (watch !== null && takesBack(watch)) raw = watch.text
      report.replace(shown())
    },
    /** Shows text that was held back, once no more will come. */
    finish(): void {
      isWhole = true
      show(watch?.flush() ?? '')
    },
    raw: (): string => raw,
    /** Returns why the answer ends here; null while it is prose. */
    proseEnd: (): ProseEnd | null => watch?.end ?? null,
  }
}

/** Removes carriage returns: documents have LF alone. A line end may come in two pieces. */
export function withoutReturns(text: string): string {
  return text.replaceAll('\r', '')
}

/** True for ends that remove text which the window has shown. */
function takesBack({ end }: ProseWatch): boolean {
  return end === 'repetition' || end === 'met'
}

/**
 * Joins a take to the text before it: `lead` goes before the remaining text.
 *
 * The answer to an empty suffix starts on a new line; the answer to a suffix goes on in its line. Line ends,
 * the indent and the space that the manuscript already has there are dropped from the take.
 * Source: `docs/decisions/drafting.md`, "Generating".
 */
export function joinTake(before: string, suffix: string, take: string) {
  const lineFrom = before.lastIndexOf('\n') + 1
  const line = before.slice(lineFrom)
  const isOnNewLine = isBlank(line)
  const lead = suffix === '' && before !== '' && !isOnNewLine ? '\n' : ''
  if (lead === '' && !isOnNewLine) {
    // The suffix was sent without its trailing spaces: a model begins with the one that is already there.
    return { lead, text: isIndent(line.at(-1)) ? take.replace(/^[ \t\u3000]+/, '') : take }
  }

  const hadLineEnds = lead === '' ? countLineEnds(before.slice(0, lineFrom)) : 1
  const indent = lead === '' ? line : ''
  let from = 0
  while (from < hadLineEnds && take[from] === '\n') from++
  for (let i = 0; i < indent.length && isIndent(take[from]); i++) from++
  return { lead, text: take.slice(from) }
}

function countLineEnds(text: string): number {
  let from = text.length
  while (from > 0 && text[from - 1] === '\n') from--
  return text.length - from
}

function isIndent(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '　'
}
