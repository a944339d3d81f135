import type { RunReporter } from '../runs/run-registry.ts'
import type { PreparedDraft } from './draft-service.ts'
import { joinTake } from './join-take.ts'
import { watchMeeting } from './meet-following.ts'
import { readFollowing } from './prompt/following-text.ts'
import { type ProseEnd, type ProseWatch, watchProse } from './prose-watch.ts'
import { rewrittenText } from './rewrite-passage.ts'

/** A line of a prompt's blocks. */
const fence = '```'

/** The model's text as the manuscript would take it: joined to what stands before it. */
export type DraftAnswer = {
  /** Sets how the answer joins the text before it; returns what goes before its first character. */
  join(suffix: string): string
  add(text: string): void
  /** Replaces the whole text so far. */
  replace(text: string): void
  /** Shows text that was held back, once no more will come. */
  finish(): void
  raw(): string
  /** Returns why the answer ends here; null while it is prose. */
  proseEnd(): ProseEnd | null
}

/** Reads the answer of a run and reports its text as it would stand in the manuscript. */
export function createAnswer(prepared: PreparedDraft, report: RunReporter): DraftAnswer {
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
    if (begun) return raw
    return isIdea ? raw : joinTake(textBefore, suffix, raw).text
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
    join(promptSuffix) {
      suffix = promptSuffix
      watch = newWatch()
      if (begun) {
        raw = watch?.push(begun.text) ?? ''
        return begun.lead
      }
      return isIdea || rewrite ? '' : joinTake(textBefore, suffix, '').lead
    },
    add(text) {
      const added = withoutReturns(text)
      show(watch === null ? added : watch.push(added))
    },
    replace(text) {
      watch = newWatch()
      const whole = (begun?.text ?? '') + withoutReturns(text)
      raw = watch === null ? whole : watch.push(whole)
      if (watch !== null && takesBack(watch)) raw = watch.text
      report.replace(shown())
    },
    finish() {
      isWhole = true
      show(watch?.flush() ?? '')
    },
    raw: () => raw,
    proseEnd: () => watch?.end ?? null,
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
