import { readTypedWord } from '../../../shared/consent/typed-consent.ts'

/** On a Mac, the caret moves by words with Alt. */
export const isMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform)

export type BoxAction =
  | 'send'
  | 'steer'
  | 'beside'
  | 'stop'
  | 'ask-before-stop'
  | 'older'
  | 'newer'
  | 'back-to-unsent'
  | 'next-mode'
  | 'option-next'
  | 'option-previous'
  | 'option-take'
  | 'options-close'
  | 'ghost-fill'
  | 'ghost-send'
  | 'ghost-word'
  | 'ghost-dismiss'
  | 'speculation-accept'
  | 'nothing'

export type OptionAction = Extract<BoxAction, `option${string}`>

export type BoxPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'repeat'>

export type BoxFacts = {
  isEmpty: boolean
  isCaretAtStart: boolean
  isCaretAtEnd: boolean
  /** A turn is running. */
  isRunning: boolean
  /** The turn that runs or waits at a gate gets a message in its next request. */
  canSteer: boolean
  /** Escape was pressed a moment ago with a message in the box. */
  isStopAsked: boolean
  /** True where the box shows an earlier message. */
  isRecalled: boolean
  hasOptions: boolean
  /** Taking the chosen option would change nothing: the command is whole. */
  isOptionWhole: boolean
  /** The part of the suggestion that was shown when the key went down; `rest`: its beginning was accepted. */
  ghost: 'none' | 'whole' | 'rest'
  /** The effect of Enter on a whole ghost. */
  ghostEnter: 'send' | 'fill'
  /** There is a speculation, finished or running, on exactly the text in the box with its ghost. */
  hasSpeculation: boolean
  isMac: boolean
}

/**
 * Reads a key press. Null: the key does what it does in any text.
 *
 * Escape stops a running turn at once where nothing is written; where something is, it takes a second press,
 * since that Escape is often meant for the text.
 */
export function boxAction(press: BoxPress, facts: BoxFacts): BoxAction | null {
  return optionAction(press, facts) ?? ghostAction(press, facts) ?? textAction(press, facts)
}

/** Returns what a key does while a list is open over the text. */
export function optionAction(
  press: BoxPress,
  { hasOptions, isOptionWhole }: Pick<BoxFacts, 'hasOptions' | 'isOptionWhole'>,
): OptionAction | null {
  if (!hasOptions || !isPlain(press)) return null
  if (press.key === 'ArrowDown') return 'option-next'
  if (press.key === 'ArrowUp') return 'option-previous'
  if (press.key === 'Tab') return 'option-take'
  if (press.key === 'Enter' && !isOptionWhole) return 'option-take'
  return press.key === 'Escape' ? 'options-close' : null
}

/** Returns what a key does in the field that a question is answered in, while no list is open. */
export function answerAction(press: BoxPress): 'answer' | 'leave' | null {
  if (press.key === 'Enter' && !press.shiftKey && !press.altKey) return 'answer'
  return press.key === 'Escape' && isPlain(press) ? 'leave' : null
}

function isPlain({ ctrlKey, metaKey, shiftKey, altKey }: BoxPress): boolean {
  return !ctrlKey && !metaKey && !shiftKey && !altKey
}

/** Returns what Enter does with a ghost. One that begins a command would run something, so the user reads it first. */
export function ghostEnter(ghost: { text: string } | null, setting: 'send' | 'fill'): 'send' | 'fill' {
  return ghost !== null && /^[/!]/.test(ghost.text) ? 'fill' : setting
}

/** Reads a key as an action on the ghost; held keys do nothing. Source: `docs/decisions/suggestions.md`. */
function ghostAction(
  press: BoxPress,
  { ghost, ghostEnter: enter, hasSpeculation, isMac }: BoxFacts,
): BoxAction | null {
  if (ghost === 'none' || press.repeat || press.metaKey || press.shiftKey) return null
  const isWordKey = press.ctrlKey !== press.altKey && (press.ctrlKey || isMac)
  if (press.key === 'ArrowRight' && isWordKey) return 'ghost-word'
  if (press.ctrlKey || press.altKey) return null
  switch (press.key) {
    case 'Tab':
      return hasSpeculation ? 'speculation-accept' : 'ghost-fill'
    case 'ArrowRight':
      return 'ghost-fill'
    case 'Enter':
      // Behind a text that was accepted, Enter sends that text alone.
      if (ghost === 'rest') return null
      return hasSpeculation && enter === 'send' ? 'speculation-accept' : `ghost-${enter}`
    case 'Escape':
      return 'ghost-dismiss'
    default:
      return null
  }
}

function textAction(press: BoxPress, facts: BoxFacts): BoxAction | null {
  const isCtrl = press.ctrlKey || press.metaKey
  switch (press.key) {
    case 'Enter':
      if (press.shiftKey) return null
      // Enter accepts the speculation, and does nothing while it is held down.
      if (isPlain(press) && facts.hasSpeculation && facts.ghost === 'none' && !facts.isEmpty)
        return press.repeat ? 'nothing' : 'speculation-accept'
      if (isCtrl) return facts.canSteer ? 'steer' : 'send'
      return press.altKey ? 'beside' : 'send'
    case 'm':
    // Option+M of a Mac keyboard.
    case 'µ':
      return press.altKey && !isCtrl && !press.shiftKey && !press.repeat ? 'next-mode' : null
    case 'Escape':
      if (!isPlain(press)) return null
      if (facts.isRunning) return facts.isEmpty || facts.isStopAsked ? 'stop' : 'ask-before-stop'
      return facts.isRecalled ? 'back-to-unsent' : null
    case 'ArrowUp':
      return isPlain(press) && (facts.isEmpty || (facts.isRecalled && facts.isCaretAtStart)) ? 'older' : null
    case 'ArrowDown':
      return isPlain(press) && facts.isRecalled && facts.isCaretAtEnd ? 'newer' : null
    default:
      return null
  }
}

/** The effect of Enter on the text in the box. `decline`: the message is the reason of a refusal. */
export type EnterMeaning = 'send' | 'queue' | 'approve' | 'refuse' | 'decline' | 'beside'

/**
 * Reads what Enter does with a message, as the host does: at a gate a word answers it, a refusal that goes on is its
 * own reason, and everything else is a question beside.
 *
 * Shape: `sincePaintedMs` from when the gate that asks was painted until the message was begun; null without one.
 * `isGateOpen`: a gate of the session's own waits. `text` is null where the message is more than text.
 */
export function enterMeaning(message: {
  text: string | null
  sincePaintedMs: number | null
  isGateOpen: boolean
  isCommand: boolean
  isRunning: boolean
}): EnterMeaning {
  const { text, sincePaintedMs: beganAt, isGateOpen, isCommand, isRunning } = message
  if (isCommand) return 'send'
  const word = text === null || beganAt === null ? null : readTypedWord({ text, beganAt, paintedAt: 0 })
  if (word !== null) return word.reason === null ? word.verdict : 'decline'
  if (isGateOpen) return 'beside'
  return isRunning ? 'queue' : 'send'
}
