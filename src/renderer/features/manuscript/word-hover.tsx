import './word-hover.css'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { percentText } from '../../../shared/i18n/figure-text.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { WordChoices } from '../../ui/word-choices.tsx'

/** Distance of the panel from the word, and from the edge of the window. Units: CSS pixels. */
const gap = 4

/** Other words for the one that the pointer rests on; by keyboard there is the dialog of Alt+↓. */
export function WordHover() {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const { hovered, hold, leave, unhover, chooseHovered } = useApp((state) => state.words)
  const offeredId = useApp(({ runs, documents }) => runs.offers[documents.activePath ?? '']?.takeId)
  const panel = useRef<HTMLElement>(null)
  const [place, setPlace] = useState({ left: 0, top: 0 })
  const isShown = hovered !== null && hovered.takeId === offeredId

  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel is as high as what it holds.
  useLayoutEffect(() => {
    if (!hovered || !panel.current) return
    const { width, height } = panel.current.getBoundingClientRect()
    const { left, top, bottom } = hovered.box
    const isBelow = bottom + gap + height <= window.innerHeight
    setPlace({
      left: Math.max(gap, Math.min(left, window.innerWidth - width - gap)),
      top: isBelow ? bottom + gap : Math.max(gap, top - gap - height),
    })
  }, [hovered, isShown])

  // What moves the text takes the word away from under the pointer.
  useEffect(() => {
    if (!isShown) return
    const end = (event: Event) => {
      if (!(event.target instanceof Node && panel.current?.contains(event.target))) unhover()
    }
    const kinds = ['keydown', 'wheel', 'pointerdown'] as const
    for (const kind of kinds) window.addEventListener(kind, end, { capture: true, passive: true })
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, end, { capture: true })
    }
  }, [isShown, unhover])

  if (!hovered || !isShown) return null
  const { answer, error } = hovered
  const take = (word: string) => {
    void chooseHovered(word)
    store.editor.current?.focus()
  }
  return (
    <section
      ref={panel}
      className="floating word-hover"
      aria-label={t('words.title')}
      style={place}
      onPointerEnter={hold}
      onPointerLeave={leave}
    >
      {!answer && !error && <p className="dim small">{t('words.asking')}</p>}
      {error && <p className="small">{errorText(error)}</p>}
      {answer?.words.length === 0 && <p className="dim small">{t('words.none')}</p>}
      {answer && (
        <WordChoices
          label={t('words.list')}
          words={answer.words.map(({ text, share }) => ({ text, share: percentText(t, share) }))}
          onTake={take}
        />
      )}
      {answer && answer.limit < 10 && (
        <p className="dim small">{t('words.limit', { limit: answer.limit })}</p>
      )}
      {answer && answer.untold > 0 && (
        <p className="dim small">{t('words.untold', { count: answer.untold })}</p>
      )}
    </section>
  )
}
