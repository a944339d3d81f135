import { speculationGate, speculationQuestion } from '../slices/session/speculation-slice.ts'
import type { Command } from './command.ts'

/** Moves the focus from anywhere to the gate, or the question of an acceptance, that waits; neither takes it by itself. */
export const gateCommands: readonly Command[] = [
  {
    id: 'gate.focus',
    title: 'command.gateFocus',
    keys: ['Alt', 'G'],
    isEnabled: (state) =>
      (state.conversation.current?.state?.openGates.length ?? 0) > 0 ||
      speculationGate(state) !== null ||
      speculationQuestion(state) !== null,
    run: (store) => {
      store.getState().ui.showView('session')
      store.getState().gates.wantFront(true)
    },
  },
]
