import { z } from 'zod'

const pattern = z.string().min(1)

/**
 * Cues of a sentence that asks the reader to choose. Regular expressions over one sentence.
 *
 * Shape: `which` choose among the list before or after them; `open` among the list after them, or before them where
 * `offers` introduce it; `requests` need no question mark; `unfinished` end in the list itself, with an `or` in it.
 * `yesOrNo` open a question that offers nothing. `reports`: list lines that tell of something done.
 */
export const OptionCues = z.object({
  which: pattern,
  open: pattern,
  requests: pattern,
  unfinished: pattern,
  or: pattern,
  yesOrNo: pattern,
  offers: pattern,
  reports: pattern,
})
export type OptionCues = z.infer<typeof OptionCues>

type Block = { kind: 'text'; lines: string[] } | { kind: 'list'; items: string[] }

/** Most lines of text behind a list from which the reader is still asked to choose. */
const mostTrailingLines = 2
const listLine = /^\s*(?:[-*+・•]\s*|\(?[0-9A-Za-z０-９]{1,2}[.)．）:：]\s*)(\S.*)$/u

/** Finds the first option that the end of a reply asks the reader to choose from. Pure. */
export function createOptionFinder(cues: OptionCues): (reply: string) => string | undefined {
  const patterns = Object.fromEntries(
    Object.entries(cues).map(([name, source]) => [name, new RegExp(source, 'iu')]),
  ) as Record<keyof OptionCues, RegExp>

  const asksWhich = (sentence: string): boolean =>
    !patterns.yesOrNo.test(sentence) && patterns.which.test(sentence)
  const asksOpenly = (sentence: string): boolean =>
    !patterns.yesOrNo.test(sentence) && patterns.open.test(sentence)

  return (reply) => {
    const blocks = blocksOf(reply)
    const at = blocks.findLastIndex(({ kind }) => kind === 'list')
    const list = blocks[at]
    if (list?.kind !== 'list' || list.items.length < 2) return undefined
    const after = linesOf(blocks[at + 1])
    if (after.length > mostTrailingLines) return undefined
    const before = linesOf(blocks[at - 1])
    const lead = sentencesOf(before.at(-1) ?? '').at(-1) ?? ''
    const asked = sentencesOf(after[0] ?? '')
    const isIntroduced = asked.some((sentence) => asksOpenly(sentence)) && patterns.offers.test(lead)
    const isAsked =
      asksWhich(lead) ||
      asksOpenly(lead) ||
      patterns.requests.test(lead) ||
      (patterns.unfinished.test(lead) && list.items.some((item) => patterns.or.test(item))) ||
      asked.some((sentence) => asksWhich(sentence) || patterns.requests.test(sentence)) ||
      isIntroduced
    if (!isAsked || list.items.every((item) => patterns.reports.test(item))) return undefined
    return list.items[0]
      ?.replace(/\*\*|`/g, '')
      .replace(patterns.or, '')
      .replace(/[.。]$/u, '')
  }
}

/** Splits a reply into text and lists, without fenced code. A line indented below a list belongs to its item. */
function blocksOf(reply: string): Block[] {
  const blocks: Block[] = []
  for (const line of withoutFences(reply).split('\n')) {
    const last = blocks.at(-1)
    const item = listLine.exec(line)?.[1]
    const isBelowItem = last?.kind === 'list' && item === undefined && /^\s/.test(line)
    if (line.trim() === '' || isBelowItem) continue
    if (item !== undefined && !/^[-*_]{2,}$/.test(item.trim())) {
      if (last?.kind === 'list') last.items.push(item.trim())
      else blocks.push({ kind: 'list', items: [item.trim()] })
    } else if (last?.kind === 'text') last.lines.push(line.trim())
    else blocks.push({ kind: 'text', lines: [line.trim()] })
  }
  return blocks
}

/** Returns a text without its fenced code. */
export function withoutFences(text: string): string {
  return text.replace(/^\s*(```|~~~)[\s\S]*?(?:^\s*\1[^\n]*$|$(?![\s\S]))/gm, '')
}

function linesOf(block: Block | undefined): string[] {
  return block?.kind === 'text' ? block.lines : []
}

/** Returns the sentences of a line, with their closing marks. */
function sentencesOf(line: string): string[] {
  return line.match(/[^.!?。！？]+(?:[.!?。！？]+["'”」』）)]*)?/gu)?.map((one) => one.trim()) ?? []
}
