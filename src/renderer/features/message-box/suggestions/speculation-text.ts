import type { SpeculationLinkState } from '../../../../shared/domain/session/speculation.ts'
import type { AcceptMethod } from '../../../../shared/suggestion/suggestion-controller.ts'
import type { MessageEditor, MessageValue } from '../../../editor/message/message-editor.ts'
import type { AppState } from '../../../state/app-state.ts'
import type { AppStore } from '../../../state/app-store.ts'
import { speculationLink } from '../../../state/slices/session/speculation-slice.ts'
import { mayOffer } from '../../../state/slices/session/suggestion-slice.ts'
import type { SuggestionGhost } from './suggestion-ghost.ts'

/** The speculation on the text of the box, as that text changes. */
export type SpeculationText = {
  /** Accepts the speculation on the text of the box; if it is gone by then, the text stays in the box, unsent. */
  accept(method: AcceptMethod): Promise<void>
  /** To be called when the text of the box has changed: a text other than the suggestion's rejects the speculation. */
  look(): void
}

type Written = Pick<MessageValue, 'segments' | 'ghost'>

export function createSpeculationText(
  store: AppStore,
  editor: Pick<MessageEditor, 'value' | 'setSegments' | 'isBlank'>,
  ghost: Pick<SuggestionGhost, 'accept'>,
): SpeculationText {
  /** The text at the last `look`. */
  let last: string | null = ''
  /** Id of the speculation whose text stood in the box. */
  let kept: string | null = null

  const put = (text: string) => editor.setSegments(text === '' ? [] : [{ kind: 'text', text }])

  return {
    async accept(method) {
      const state = store.getState()
      const value = editor.value()
      const link = speculationOfText(state, value)
      if (link === null) return
      const suggestion = value.ghost === null || value.ghost.isRest ? undefined : ghost.accept(method)
      if (suggestion === null) return
      if (suggestion === undefined) {
        last = ''
        kept = null
        put('')
      }
      const isAccepted = await state.speculation.accept(link.speculationId, suggestion)
      const isHere =
        store.getState().conversation.current?.sessionId === state.conversation.current?.sessionId
      if (!isAccepted && isHere && editor.isBlank()) put(link.text)
    },
    look() {
      const { segments, ghost } = editor.value()
      const written = textOf({ segments, ghost: ghost?.isRest ? ghost : null })
      if (written === last) return
      last = written
      const link = speculationLink(store.getState())
      if (link === null || link.accepting !== null) return
      const wasKept = kept === link.speculationId
      kept = written === link.text ? link.speculationId : null
      // An empty box is no edit, unless something stood in it.
      if (kept === null && (written !== '' || wasKept))
        void store.getState().speculation.reject(link.speculationId)
    },
  }
}

/** Returns the speculation on exactly the box's text with the text offered behind it. Null: none can be accepted. */
export function speculationOfText(state: AppState, written: Written): SpeculationLinkState | null {
  const link = speculationLink(state)
  if (link === null || link.accepting !== null || !mayOffer(state)) return null
  return textOf(written) === link.text ? link : null
}

/** Returns the text of the box with its ghost; null where the message is not text alone. */
function textOf({ segments, ghost }: Written): string | null {
  if (segments.some(({ kind }) => kind !== 'text')) return null
  return segments.map((one) => (one.kind === 'text' ? one.text : '')).join('') + (ghost?.text ?? '')
}
