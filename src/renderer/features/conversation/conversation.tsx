import './conversation.css'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { frontGate, isBusy, type SessionView } from '../../state/reducers/session-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { type ConversationParts, ConversationRow } from './conversation-row.tsx'
import { estimatedHeight, rowsOf } from './rows.ts'

type ConversationProps = ConversationParts & {
  view: SessionView
  empty: ReactNode
}

const overscan = 4
/** Earlier items are fetched when one of this many first lines is near the view. */
const nearTop = 6
/** Limit of corrections on the way to a line, while lines are measured. */
const mostTries = 20
/** Time for which a line that the user jumped to is kept in sight. Units: ms. */
const aimMs = 5_000

/** The whole conversation, oldest first. Only the lines near the visible part are in the page. */
export function Conversation({ view, empty, GateCard, AnswerField }: ConversationProps) {
  const { t } = useWords()
  const { items, hasMore, isLoadingMore } = view
  const isTurnOpen = isBusy(view.state)
  const loadMore = useApp((state) => state.conversation.loadMore)
  const [openTurns, setOpenTurns] = useState<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => rowsOf(items, isTurnOpen, openTurns), [items, isTurnOpen, openTurns])
  const fold = useCallback(
    (turn: number) =>
      setOpenTurns(
        (open) => new Set(open.has(turn) ? [...open].filter((one) => one !== turn) : [...open, turn]),
      ),
    [],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const isPlaced = useRef(false)
  const end = useEnd(scroller, () => list.scrollToEnd())
  const { isAtEnd } = end

  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimatedHeight(rows[index]),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    overscan,
    paddingStart: 24,
    paddingEnd: 24,
    gap: 10,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endZone,
    useFlushSync: false,
    onChange: end.look,
  })

  // A conversation opens at its end.
  useLayoutEffect(() => {
    if (isPlaced.current || rows.length === 0) return
    isPlaced.current = true
    list.scrollToEnd()
  }, [list, rows.length])

  const aim = useRef<{ key: string; tries: number; until: number } | null>(null)

  // A message that the author just sent is shown, wherever he was reading.
  const last = items.at(-1)
  const sentId = last?.kind === 'user' ? last.itemId : null
  useEffect(() => {
    if (sentId === null) return
    aim.current = null
    list.scrollToEnd()
  }, [list, sentId])

  // Brings the user to the gate on request.
  const front = frontGate(view)?.itemId ?? null
  const isFrontWanted = useApp((state) => state.gates.isFrontWanted)
  const target = useApp((state) => state.conversation.target) ?? (isFrontWanted ? front : null)
  const goTo = useApp((state) => state.conversation.goTo)
  useEffect(() => {
    if (target === null || rows.length === 0) return
    const index = rows.findIndex((row) => row.key === target)
    const folded = index < 0 && items.find(({ itemId, turn }) => itemId === target && !openTurns.has(turn))
    if (index >= 0) aim.current = { key: target, tries: mostTries, until: performance.now() + aimMs }
    else if (folded) return fold(folded.turn)
    else if (hasMore) return void (isLoadingMore || loadMore())
    goTo(null)
  }, [target, rows, items, openTurns, fold, hasMore, isLoadingMore, loadMore, goTo])
  // The heights of distant lines are estimates: once they are measured, on the way or after it, the wanted line lies
  // elsewhere.
  useEffect(() => {
    if (aim.current === null) return
    const { key } = aim.current
    const index = rows.findIndex((row) => row.key === key)
    const { startIndex, endIndex } = list.range ?? { startIndex: -1, endIndex: -1 }
    const isFirst = aim.current.tries === mostTries
    const isOver = !isFirst && performance.now() > aim.current.until
    if (!isFirst && !isOver && index >= startIndex && index <= endIndex) return
    if (index < 0 || isOver || aim.current.tries-- === 0) aim.current = null
    else list.scrollToIndex(index, { align: isTall(list, index) ? 'start' : 'center' })
  })

  // A gate that comes while the end is followed is read from its top, also while its differences are still loaded.
  const held = useRef<string | null>(null)
  const wasAtEnd = useRef(isAtEnd)
  const total = list.getTotalSize()
  useLayoutEffect(() => {
    held.current = wasAtEnd.current ? front : null
  }, [front])
  useLayoutEffect(() => {
    wasAtEnd.current = isAtEnd
  }, [isAtEnd])
  useEffect(() => {
    if (total === 0 || held.current === null) return
    const index = rows.findIndex((row) => row.key === held.current)
    if (index >= 0 && isTall(list, index)) list.scrollToIndex(index, { align: 'start' })
  }, [total, rows, list])
  const letGo = () => {
    aim.current = null
    held.current = null
  }

  const shown = list.getVirtualItems()
  const first = shown[0]?.index
  const isNearTop = isPlaced.current && !isAtEnd && first !== undefined && first < nearTop
  useEffect(() => {
    if (isNearTop && hasMore && !isLoadingMore) void loadMore()
  }, [isNearTop, hasMore, isLoadingMore, loadMore])

  // The gate that waits for an answer may stand above the end: questions beside it come below.
  const frontAt = front === null ? -1 : rows.findIndex((row) => row.key === front)
  const isFrontAway =
    frontAt >= 0 && list.range !== null && (frontAt < list.range.startIndex || frontAt > list.range.endIndex)
  const isEmpty = rows.length === 0 && !hasMore
  return (
    <div className="conversation-frame">
      <div
        ref={scroller}
        className="conversation"
        role="log"
        aria-live="off"
        aria-label={t('conversation.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
        tabIndex={0}
        onScroll={end.look}
        onWheel={letGo}
        onPointerDown={letGo}
        onKeyDown={letGo}
      >
        {isEmpty && empty}
        <ol className="conversation-list" style={{ height: isEmpty ? 0 : list.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const row = rows[index]
            if (!row) return null
            return (
              <li
                key={key}
                ref={list.measureElement}
                data-index={index}
                className={`conversation-row row-${row.kind === 'item' ? row.item.kind : row.kind}`}
                // No transform: parts that stick within a line, such as a gate's buttons, would no longer stick.
                style={{ top: start }}
              >
                <ConversationRow row={row} onFold={fold} GateCard={GateCard} AnswerField={AnswerField} />
              </li>
            )
          })}
        </ol>
      </div>
      {(!isAtEnd || isFrontAway) && (
        <Button
          className="conversation-to-end"
          icon="down"
          onClick={() => {
            letGo()
            if (front === null) list.scrollToEnd()
            else goTo(front)
          }}
        >
          {t(front === null ? 'conversation.toEnd' : 'conversation.toGate')}
        </Button>
      )}
    </div>
  )
}

/** True for a line that is longer than the view, of which the beginning is shown. */
function isTall(
  { measurementsCache, scrollRect }: Virtualizer<HTMLDivElement, Element>,
  index: number,
): boolean {
  return (measurementsCache[index]?.size ?? 0) > (scrollRect?.height ?? 0)
}

/** Distance from its end within which a list counts as being at its end. Units: CSS pixels. */
const endZone = 64

/**
 * Returns whether a scrolled list shows its end. Where something below takes room from the list, the end stays in
 * sight. `look` is called whenever something moved; it reads the page once a frame.
 */
function useEnd(
  scroller: RefObject<HTMLElement | null>,
  toEnd: () => void,
): { isAtEnd: boolean; look: () => void } {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const wasAtEnd = useRef(true)
  const frame = useRef<number | null>(null)
  const scroll = useRef(toEnd)
  scroll.current = toEnd

  const look = useCallback(() => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null
      if (scroller.current === null) return
      const { scrollHeight, scrollTop, clientHeight } = scroller.current
      wasAtEnd.current = scrollHeight - scrollTop - clientHeight <= endZone
      setIsAtEnd(wasAtEnd.current)
    })
  }, [scroller])

  useEffect(() => {
    if (scroller.current === null) return
    const observer = new ResizeObserver(() => {
      if (wasAtEnd.current) scroll.current()
      look()
    })
    observer.observe(scroller.current)
    return () => {
      observer.disconnect()
      if (frame.current !== null) cancelAnimationFrame(frame.current)
      frame.current = null
    }
  }, [scroller, look])

  return { isAtEnd, look }
}
