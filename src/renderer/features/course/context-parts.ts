import type { ContextMeter } from '../../../shared/domain/session.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import type { BarPart } from '../../ui/meter.tsx'

type PartKind = ContextMeter['parts'][number]['kind']

/** The frame plain, what comes from files and tools indigo, the conversation grey, the course gold. */
const colours: Record<PartKind, BarPart['colour']> = {
  base: 'ink2',
  tools: 'ink2',
  instructions: 'ink2',
  summary: 'body',
  messages: 'body',
  files: 'info',
  results: 'info',
  blocks: 'seam',
}

/** What fills the context, in the order in which it is sent. */
export function contextParts(meter: ContextMeter, t: Translate): BarPart[] {
  return meter.parts.flatMap(({ kind, tokens }) => {
    if (tokens <= 0) return []
    const label = t('sent.part', { name: t(`sent.part.${kind}`), count: tokens })
    return [{ id: kind, label, amount: tokens, colour: colours[kind] }]
  })
}

/** How much of the context is taken; null where nobody knows how long it is. */
export function shareOf({ usedTokens, limitTokens }: ContextMeter): number | null {
  return limitTokens === null || limitTokens <= 0 ? null : Math.min(1, usedTokens / limitTokens)
}
