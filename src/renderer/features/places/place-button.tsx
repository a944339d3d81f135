import './place-button.css'
import type { ReactNode } from 'react'
import type { MentionPlace } from '../../../shared/domain/lore/mentions.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { PlainButton } from '../../ui/button.tsx'

/** Closes what lies over the page and shows a place of the work in its text. `text`: as in `documents.goToPlace`. */
export function useGoToPlace() {
  const { close, drawer, togglePane } = useApp((state) => state.ui)
  const goToPlace = useApp((state) => state.documents.goToPlace)
  return (place: { path: string; from: number; text?: string }) => {
    close()
    if (drawer !== null) togglePane(drawer, false)
    void goToPlace(place)
  }
}

type PlaceButtonProps = {
  place: { path: string; from: number; line: number; text?: string }
  /** Absent: the file's own. */
  name?: string
  /** Its number among the places that are shown. */
  nth?: number
  isCurrent?: boolean
  onGo?(): void
  /** The quoted text. */
  children: ReactNode
}

/** A quotation of the work under its file and line; pressing it goes there. */
export function PlaceButton(props: PlaceButtonProps) {
  const { place, name = displayName(place.path), nth, isCurrent = false, onGo, children } = props
  const { t } = useWords()
  const goToPlace = useGoToPlace()
  return (
    <PlainButton
      className="place-button"
      aria-current={isCurrent || undefined}
      onClick={() => {
        onGo?.()
        goToPlace(place)
      }}
    >
      <span className="dim">
        {nth !== undefined && <span className="ask-number">{nth}</span>}
        {t('ask.place', { name, line: place.line })}
      </span>
      {children}
    </PlainButton>
  )
}

type MentionButtonProps = { path: string; name?: string; place: MentionPlace }

/** A passage that is marked within its line, and found again by what follows it there. */
export function MentionButton({ path, place, ...rest }: MentionButtonProps) {
  const { from, line, before, match, after } = place
  const text = match + after.replace(/…$/, '')
  return (
    <PlaceButton place={{ path, from, line, text }} {...rest}>
      <span className="serif">
        {before}
        <mark>{match}</mark>
        {after}
      </span>
    </PlaceButton>
  )
}
