import type { GateConversationItem } from '../../../../shared/domain/session/session-item.ts'

/** What the conversation gives to the card that asks for consent. `isFront`: it is the one to be answered. */
export type GateCardProps = { item: GateConversationItem; isFront: boolean }
