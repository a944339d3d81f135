import type { ComponentType } from 'react'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import type { AnswerFieldProps } from './cards/answer-field-props.ts'
import type { GateCardProps } from './cards/gate-card-props.ts'
import { ConversationRow } from './conversation-row.tsx'

/** Items that are no part of the conversation yet, in their order: to be read, not to be answered. */
export function ItemList({ items }: { items: readonly SessionItem[] }) {
  return items.map((item) => (
    <ConversationRow
      key={item.itemId}
      row={{ key: item.itemId, kind: 'item', item, gate: null }}
      onFold={noFold}
      GateCard={NoGate}
      AnswerField={NoAnswer}
      isPreview
    />
  ))
}

const noFold = (): void => undefined
const NoGate: ComponentType<GateCardProps> = () => null
const NoAnswer: ComponentType<AnswerFieldProps> = () => null
