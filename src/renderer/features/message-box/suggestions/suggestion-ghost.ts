import { systemTimers } from '../../../../shared/delay.ts'
import type { SettledSuggestion } from '../../../../shared/domain/session/suggestion.ts'
import {
  type AcceptMethod,
  SuggestionController,
} from '../../../../shared/suggestion/suggestion-controller.ts'
import type { MessageEditor } from '../../../editor/message/message-editor.ts'
import { firstWord } from '../../../editor/message/message-ghost.ts'
import type { AppStore } from '../../../state/app-store.ts'
import { infoOf } from '../../../state/slices/follow.ts'
import {
  mayOffer,
  type OfferedSuggestion,
  offeredSuggestion,
} from '../../../state/slices/session/suggestion-slice.ts'

/** Shows the session's suggestion as a ghost in the message box, and accepts or dismisses it. */
export type SuggestionGhost = {
  /** Handles a key and returns what was visible when it went down: a ghost that came later has not been seen. */
  keyDown(press: Pick<KeyboardEvent, 'key' | 'timeStamp'>): 'none' | 'whole' | 'rest'
  /** An input method begins to compose. */
  compose(): void
  /** Writes the visible text, or its first word, into the box. Null: nothing; false: another window decided. */
  take(what: 'all' | 'word', method: AcceptMethod): Promise<boolean> | null
  /** Accepts a whole suggestion without writing it. The caller tells the host. Null: there was none. */
  accept(method: AcceptMethod): SettledSuggestion | null
  /** Dismisses the suggestion: the user goes on without it. */
  dismiss(): void
  /** To be called when the text of the box has changed. */
  look(): void
  /** True shortly after a suggestion was accepted. */
  readonly isLocked: boolean
  destroy(): void
}

const modifiers = new Set(['Shift', 'Control', 'Alt', 'Meta'])

export function createSuggestionGhost(store: AppStore, editor: MessageEditor): SuggestionGhost {
  let offered: OfferedSuggestion | null = null
  let wasFocused = false
  let firstKeyAt: number | null = null
  let telling: Promise<boolean> = Promise.resolve(false)
  let accepted: SettledSuggestion | null = null

  const controller = new SuggestionController({
    clock: { now, ...systemTimers },
    onState({ suggestion, isVisible }) {
      if (isVisible) {
        wasFocused = document.hasFocus()
        firstKeyAt = null
      }
      editor.showGhost(suggestion)
    },
    onOutcome(ended) {
      if (offered === null) return
      const firstKeystrokeMs = firstKeyAt === null ? null : Math.max(0, firstKeyAt - controller.state.shownAt)
      const settled = {
        suggestionId: offered.suggestionId,
        outcome: ended.outcome,
        method: ended.outcome === 'accepted' ? ended.method : null,
        timeMs: ended.timeMs,
        firstKeystrokeMs,
        wasFocused,
      }
      if (ended.outcome === 'accepted') accepted = settled
      else void store.getState().suggestion.tell(settled)
    },
    onAccept: () => undefined,
    onFailure: (error) => store.getState().ui.toastError(infoOf(error)),
  })

  /** Shows the ghost only where it may be shown. One that was hidden comes back as a new one. */
  const look = () => {
    if (!editor.isBlank()) controller.dismiss()
    const state = store.getState()
    if (!mayOffer(state)) editor.showGhost(null)
    const next = editor.isBlank() ? offeredSuggestion(state) : null
    if (next?.suggestionId === offered?.suggestionId) return
    // Another suggestion that the user asked for is shown at once.
    const isAsked =
      offered !== null && state.suggestion.current.place !== undefined && controller.state.isVisible
    offered = next
    // Hides the old ghost, which must not be taken for the new one.
    controller.set(null)
    if (next !== null) controller.set(next.text, { isAsked })
  }
  const dismiss = () => {
    controller.dismiss()
    editor.showGhost(null)
  }
  const accept = (method: AcceptMethod) =>
    controller.accept(method, { skipOnAccept: true }) ? accepted : null
  const unsubscribe = store.subscribe(look)
  look()

  return {
    keyDown({ key, timeStamp }) {
      const { ghost } = editor.value()
      if (ghost?.isRest) return 'rest'
      const at = performance.timeOrigin + timeStamp
      if (ghost !== null && at >= controller.state.shownAt) {
        if (!modifiers.has(key)) firstKeyAt ??= at
        return 'whole'
      }
      // A user who presses Enter repeatedly must not send a ghost that appears meanwhile.
      if (key === 'Enter' && ghost === null && offered !== null) controller.set(offered.text)
      return 'none'
    },
    compose() {
      firstKeyAt ??= now()
      dismiss()
    },
    take(what, method) {
      const { ghost } = editor.value()
      if (ghost === null) return null
      if (!ghost.isRest) {
        const settled = accept(method)
        if (settled === null) return null
        telling = store.getState().suggestion.tell(settled)
      }
      const part = what === 'word' ? firstWord(ghost.text) : ghost.text
      editor.take(part, ghost.text.slice(part.length))
      return telling
    },
    accept,
    dismiss,
    look,
    get isLocked() {
      return controller.isLocked
    },
    destroy() {
      unsubscribe()
      controller.cleanup()
    },
  }
}

/** Units: ms since the epoch; never goes back. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
