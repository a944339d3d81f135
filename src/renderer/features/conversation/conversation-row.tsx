import { type ComponentType, memo } from 'react'
import type { GateConversationItem, SessionItem } from '../../../shared/domain/session/session-item.ts'
import { useApp } from '../../state/store-context.tsx'
import { AttachedFile } from './cards/attached-file.tsx'
import { CallCard, ReviewCard } from './cards/call-card.tsx'
import { ErrorCard } from './cards/error-card.tsx'
import { type AnswerFieldProps, QuestionCard } from './cards/question-card.tsx'
import { ChangedFileRow } from './changed-file.tsx'
import { Answer, UserMessage } from './messages.tsx'
import { CompactionLine, DecisionLine, FolderLine, NoticeLine, UndoLine } from './quiet-lines.tsx'
import type { Row } from './rows.ts'
import { TurnFoot, TurnOutcomeLine } from './turn-lines.tsx'

/** Components that other features put into the conversation. */
export type ConversationParts = {
  GateCard: ComponentType<GateCardProps>
  AnswerField: ComponentType<AnswerFieldProps>
}

type ConversationRowProps = ConversationParts & {
  row: Row
  onFold: (turn: number) => void
  /** True for a preview: the item is not part of the conversation yet and can only be read. */
  isPreview?: boolean
}

/** One line of the conversation; while its item grows, only this line renders for each piece. */
export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { row, onFold, GateCard, AnswerField, isPreview = false } = props
  const settled = row.kind === 'item' ? row.item : null
  const growing = useApp((state) => state.conversation.current?.writing[row.key])
  const isFront = useApp(
    ({ conversation }) =>
      settled?.kind === 'gate' && conversation.current?.state?.openGates[0] === settled.gate.gateId,
  )
  if (row.kind === 'foot') return <TurnFoot {...row} />
  if (row.kind === 'file') return <ChangedFileRow {...row} />
  if (row.kind === 'outcome') return <TurnOutcomeLine {...row} onFold={onFold} />
  const item = growing ?? row.item
  switch (item.kind) {
    case 'user':
      return <UserMessage item={item} isPreview={isPreview} />
    case 'file':
      return <AttachedFile item={item} />
    case 'answer':
      return <Answer item={item} />
    case 'decision':
      return <DecisionLine item={item} />
    case 'call':
      return item.tool === 'submit_review' ? (
        <ReviewCard item={item} />
      ) : (
        <CallCard item={item} gate={row.gate} />
      )
    case 'gate':
      return <GateCard item={item} isFront={isFront} />
    case 'question':
      return <QuestionCard item={item} AnswerField={AnswerField} />
    case 'notice':
      return <NoticeLine item={item} />
    case 'error':
      return <ErrorCard item={item} />
    case 'compaction':
      return <CompactionLine item={item} />
    case 'undo':
      return <UndoLine item={item} />
    case 'folder':
      return <FolderLine item={item} />
  }
})

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

/** The properties of the card that asks for consent. `isFront`: this gate is the one to answer now. */
type GateCardProps = { item: GateConversationItem; isFront: boolean }
