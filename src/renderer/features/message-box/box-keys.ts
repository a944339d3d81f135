/** What a key press in the message box asks for. */
export type BoxAction =
  | 'send'
  | 'steer'
  | 'beside'
  | 'stop'
  | 'ask-before-stop'
  | 'older'
  | 'newer'
  | 'back-to-draft'
  | 'next-mode'
  | 'option-next'
  | 'option-previous'
  | 'option-take'
  | 'options-close'

export type BoxPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

export type BoxFacts = {
  isEmpty: boolean
  isCaretAtStart: boolean
  isCaretAtEnd: boolean
  /** A turn is running. */
  isRunning: boolean
  /** Escape was pressed a moment ago with a message in the box. */
  isStopAsked: boolean
  /** An earlier message stands in the box. */
  isRecalled: boolean
  hasOptions: boolean
  /** Taking the chosen option would change nothing: the command is whole. */
  isOptionWhole: boolean
}

/**
 * Reads a key press. Null: the key does what it does in any text.
 *
 * Escape stops a running turn at once where nothing is written; where something is, it takes a second press,
 * since that Escape is often meant for the text.
 */
export function boxAction(press: BoxPress, facts: BoxFacts): BoxAction | null {
  const isCtrl = press.ctrlKey || press.metaKey
  const isPlain = !isCtrl && !press.shiftKey && !press.altKey
  if (facts.hasOptions && isPlain) {
    if (press.key === 'ArrowDown') return 'option-next'
    if (press.key === 'ArrowUp') return 'option-previous'
    if (press.key === 'Tab') return 'option-take'
    if (press.key === 'Enter' && !facts.isOptionWhole) return 'option-take'
    if (press.key === 'Escape') return 'options-close'
  }
  switch (press.key) {
    case 'Enter':
      if (press.shiftKey) return null
      if (isCtrl) return facts.isRunning ? 'steer' : 'send'
      return press.altKey ? 'beside' : 'send'
    case 'Tab':
      return press.shiftKey && !isCtrl && !press.altKey ? 'next-mode' : null
    case 'Escape':
      if (!isPlain) return null
      if (facts.isRunning) return facts.isEmpty || facts.isStopAsked ? 'stop' : 'ask-before-stop'
      return facts.isRecalled ? 'back-to-draft' : null
    case 'ArrowUp':
      return isPlain && (facts.isEmpty || (facts.isRecalled && facts.isCaretAtStart)) ? 'older' : null
    case 'ArrowDown':
      return isPlain && facts.isRecalled && facts.isCaretAtEnd ? 'newer' : null
    default:
      return null
  }
}
