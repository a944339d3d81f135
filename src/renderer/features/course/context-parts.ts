import type { ContextMeter, SentMessage } from '../../../shared/domain/session/session.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import type { BarPart } from '../../ui/context-bar.tsx'

type PartKind = ContextMeter['parts'][number]['kind']
type Group = 'head' | 'talk' | 'material' | 'course'

/** The bar's colours by group: instructions plain, conversation grey, files and results indigo, the course ink. */
const colours: Record<Group, BarPart['colour']> = {
  head: 'ink2',
  talk: 'body',
  material: 'info',
  course: 'ink',
}

const groups: Record<PartKind, Group> = {
  base: 'head',
  tools: 'head',
  instructions: 'head',
  summary: 'talk',
  messages: 'talk',
  files: 'material',
  results: 'material',
  blocks: 'course',
}

/** Returns the parts that fill the context, in the order in which they are sent. */
export function contextParts(meter: ContextMeter, t: Translate): BarPart[] {
  return meter.parts.flatMap(({ kind, tokens }) => {
    if (tokens <= 0) return []
    const label = t('sent.part', { name: t(`sent.part.${kind}`), count: tokens })
    return [{ id: kind, label, amount: tokens, colour: colours[groups[kind]] }]
  })
}

/** The same in a few groups, in the same colours. */
export function groupedParts(meter: ContextMeter, t: Translate): BarPart[] {
  return (['head', 'talk', 'material', 'course'] as const).flatMap((id) => {
    const amount = meter.parts
      .filter(({ kind }) => groups[kind] === id)
      .reduce((sum, { tokens }) => sum + tokens, 0)
    return amount === 0
      ? []
      : [{ id, label: t(`session.context.${id}`, { count: amount }), amount, colour: colours[id] }]
  })
}

/** Returns who wrote a message: many models get the messages of Tsugi and its tools in the role of the user. */
export function authorOf(role: SentMessage['role'], kind: string): SentMessage['role'] | 'app' {
  const kinds = kind.split('+')
  if (role !== 'user' || kinds.includes('message')) return role
  return kinds.includes('result') ? 'tool' : 'app'
}
