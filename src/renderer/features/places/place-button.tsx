import './place-button.css'
import type { ReactNode } from 'react'
import type { MentionPlace } from '../../../shared/domain/lore/mentions.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { PlainButton } from '../../ui/button.tsx'

/** Closes the dialog and shows a place of the work in its text. */
export function useGoToPlace() {
  const close = useApp((state) => state.ui.close)
  const goToPlace = useApp((state) => state.documents.goToPlace)
  return (place: { path: string; from: number }) => {
    close()
    void goToPlace(place)
  }
}

type PlaceButtonProps = {
  place: { path: string; from: number; line: number }
  /** Absent: the file's own. */
  name?: string
  /** Its number among the places that are shown. */
  nth?: number
  /** The quoted text. */
  children: ReactNode
}

/** A quotation of the work under its file and line; pressing it goes there. */
export function PlaceButton({ place, name = displayName(place.path), nth, children }: PlaceButtonProps) {
  const { t } = useWords()
  const goToPlace = useGoToPlace()
  return (
    <PlainButton className="place-button" onClick={() => goToPlace(place)}>
      <span className="dim">
        {nth !== undefined && <span className="ask-number">{nth}</span>}
        {t('ask.place', { name, line: place.line })}
      </span>
      {children}
    </PlainButton>
  )
}

type MentionButtonProps = { path: string; name?: string; place: MentionPlace }

/** A passage that is marked within its line. */
export function MentionButton({ path, place, ...rest }: MentionButtonProps) {
  const { from, line, before, match, after } = place
  return (
    <PlaceButton place={{ path, from, line }} {...rest}>
      <span className="serif">
        {before}
        <mark>{match}</mark>
        {after}
      </span>
    </PlaceButton>
  )
}
