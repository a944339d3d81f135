import { SuggestionGuard } from '../../shared/domain/session/suggestion.ts'

/** The present facts that a suggestion depends on. */
export type SuggestionFacts = {
  /** The switches of the app and of the project together. */
  isOn: boolean
  windows: number
  /** Windows that a person watches. */
  attendedWindows: number
  /** The session has just come to rest after a turn, or still rests after that one. */
  isAfterTurn: boolean
  isRunning: boolean
  lastItem: string | null
  hasPendingError: boolean
  /** The gates that wait: about a command, or about anything else a call may do; `other` for plans. */
  gates: readonly ('command' | 'permission' | 'other')[]
  /** A question of the model's, or of the host's because calls went round in a loop. */
  question: 'none' | 'model' | 'loop'
  isPlanMode: boolean
  queuedMessages: number
  wasCancelled: boolean
  /** Answers of the model; its decisions are none. */
  replies: number
}

/** Source: `docs/decisions/suggestions.md`: with fewer there is nothing yet to go on from. */
const leastReplies = 2

const isClosed: Record<SuggestionGuard, (facts: SuggestionFacts) => boolean> = {
  setting_off: ({ isOn }) => !isOn,
  no_window: ({ windows }) => windows === 0,
  driven_by_program: ({ attendedWindows }) => attendedWindows === 0,
  not_after_turn: ({ isAfterTurn }) => !isAfterTurn,
  run_active: ({ isRunning }) => isRunning,
  last_item_error: ({ lastItem }) => lastItem === 'error',
  pending_error: ({ hasPendingError }) => hasPendingError,
  command_confirmation: ({ gates }) => gates.includes('command'),
  permission_dialog: ({ gates }) => gates.includes('permission'),
  gate_open: ({ gates }) => gates.length > 0,
  loop_question: ({ question }) => question === 'loop',
  elicitation: ({ question }) => question === 'model',
  plan_mode: ({ isPlanMode }) => isPlanMode,
  message_queued: ({ queuedMessages }) => queuedMessages > 0,
  turn_cancelled: ({ wasCancelled }) => wasCancelled,
  early_conversation: ({ replies }) => replies < leastReplies,
}

/** Returns the first guard that forbids a suggestion, or null. Called before one is made and at every change after. */
export function closedGuard(facts: SuggestionFacts): SuggestionGuard | null {
  return SuggestionGuard.options.find((guard) => isClosed[guard](facts)) ?? null
}
