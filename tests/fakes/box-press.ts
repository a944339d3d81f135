import type { BoxFacts, BoxPress } from '../../src/renderer/features/message-box/box-keys.ts'

/** A key press by its name: `Ctrl+Shift+Enter`. `repeat`: the key is held. */
export function press(keys: string, repeat = false): BoxPress {
  const parts = keys.split('+')
  return {
    key: parts.at(-1) ?? '',
    ctrlKey: parts.includes('Ctrl'),
    metaKey: parts.includes('Cmd'),
    shiftKey: parts.includes('Shift'),
    altKey: parts.includes('Alt'),
    repeat,
  }
}

/** A box with a message in it, the caret behind it, and nothing going on. */
export const idleBox: BoxFacts = {
  isEmpty: false,
  isCaretAtStart: false,
  isCaretAtEnd: true,
  isRunning: false,
  canSteer: false,
  isStopAsked: false,
  isRecalled: false,
  hasOptions: false,
  isOptionWhole: false,
  ghost: 'none',
  ghostEnter: 'send',
  hasSpeculation: false,
  isMac: false,
}
