import {
  type MessageSegment,
  segmentsText,
  type UnsentEvent,
  type UnsentPlace,
} from '../../../shared/domain/session/message-segment.ts'
import type { AppState } from '../app-state.ts'
import type { KeptTexts } from '../kept-texts.ts'
import type { SliceContext } from './slice.ts'

/** The text that the host has at a place. `json`: its segments, to compare. */
type Known = { seq: number; segments: MessageSegment[]; json: string }

/** Delay between a change and its report to the host. Units: ms. */
const restMs = 100
const nothing: Known = { seq: 0, segments: [], json: '[]' }

/**
 * Messages that were written and not sent yet. The host keeps them for all windows: the last writer wins, but text that
 * is being written in this window is never replaced under the user's hands.
 */
export function createUnsentSlice({ client, get, patch, follow }: SliceContext, kept: KeptTexts['messages']) {
  let workId: string | null = null
  let stop: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let known = new Map<string, Known>()
  /** False until the host has told what is unsent in the folder: a text that is sent before would replace it unseen. */
  let hasHeard = false
  const sending = new Set<string>()
  const held = new Map<string, number>()

  const jsonOf = (key: string) => JSON.stringify(get().unsent.byKey[key] ?? [])
  const isOwn = (key: string) => jsonOf(key) !== (known.get(key) ?? nothing).json
  const show = (key: string, segments: MessageSegment[]) =>
    patch('unsent', { byKey: { ...get().unsent.byKey, [key]: segments } })
  const sendSoon = () => {
    timer ??= setTimeout(sendAll, restMs)
  }

  async function send(key: string): Promise<void> {
    if (!hasHeard || workId === null || held.has(key) || sending.has(key) || !isOwn(key)) return
    const [of, inWork, before] = [known, workId, known.get(key)]
    const segments = get().unsent.byKey[key] ?? []
    const json = JSON.stringify(segments)
    sending.add(key)
    try {
      const { seq } = await client['unsent.keep']({ workId: inWork, message: { ...placeOf(key), segments } })
      const heard = of.get(key)
      const isLate = heard !== undefined && heard !== before && heard.seq > seq
      if (!isLate) of.set(key, { seq, segments, json })
      // Another window wrote after this one, and this one has not written since.
      else if (of === known && jsonOf(key) === json) show(key, heard.segments)
      if (of === known && isOwn(key)) sendSoon()
      if (of === known && Object.keys(kept.read(inWork)).length > 0) store(inWork)
    } catch {
      // It is tried again with the next change, and when the host is there again.
    } finally {
      sending.delete(key)
    }
  }
  /** Keeps what the host does not have, and nothing else. */
  function store(inWork: string): void {
    const own = Object.entries(get().unsent.byKey).filter(([key]) => isOwn(key))
    kept.write(inWork, Object.fromEntries(own))
  }
  function sendAll(): void {
    clearTimeout(timer)
    timer = undefined
    for (const key of Object.keys(get().unsent.byKey)) void send(key)
  }

  function hear({ seq, isAll, messages }: UnsentEvent): void {
    const heard = new Map(messages.map((one) => [keyOf(one), one.segments]))
    const keys = isAll ? new Set([...heard.keys(), ...known.keys()]) : new Set(heard.keys())
    for (const key of keys) {
      if (!isAll && seq <= (known.get(key) ?? nothing).seq) continue
      const segments = heard.get(key) ?? []
      const own = get().unsent.byKey[key] ?? []
      const isWritten = isOwn(key) || sending.has(key) || held.has(key)
      const isNew = !known.has(key)
      known.set(key, { seq, segments, json: JSON.stringify(segments) })
      if (!isOwn(key)) continue
      if (!isWritten) show(key, segments)
      // The text was begun before the window knew the host's text, unless it continues that text.
      else if (isAll && isNew && segments.length > 0 && !segmentsText(own).startsWith(segmentsText(segments)))
        show(key, [...segments, { kind: 'text', text: '\n' }, ...own])
    }
    if (!isAll) return
    hasHeard = true
    sendSoon()
  }

  return {
    /** By the name of the place, see `unsentKey`. */
    byKey: {} as Record<string, MessageSegment[]>,

    follow(next: string | null) {
      if (next === workId && stop !== undefined) return
      get().unsent.flush()
      stop?.()
      stop = undefined
      if (next !== workId) {
        known = new Map()
        hasHeard = false
        // Text that was written while the folder was being opened is meant for it.
        if (workId !== null) patch('unsent', { byKey: {} })
      }
      workId = next
      for (const [key, segments] of Object.entries(next === null ? {} : kept.read(next)))
        if (get().unsent.byKey[key] === undefined) show(key, segments)
      if (next !== null) stop = follow((signal) => client['unsent.watch']({ workId: next }, { signal }), hear)
    },
    keep(key: string, segments: MessageSegment[]) {
      show(key, segments)
      if (isOwn(key)) sendSoon()
    },
    move(from: string, to: string) {
      const segments = get().unsent.byKey[from] ?? []
      if (segments.length === 0) return
      get().unsent.keep(to, segments)
      get().unsent.keep(from, [])
    },
    /** Marks a text as being sent: the host keeps its present state until the returned function is called. */
    hold(key: string) {
      void send(key)
      held.set(key, (held.get(key) ?? 0) + 1)
      return () => {
        const others = (held.get(key) ?? 1) - 1
        if (others > 0) return void held.set(key, others)
        held.delete(key)
        sendSoon()
      }
    },
    /** Tells the host at once what it does not know yet, as the window goes. */
    flush() {
      if (workId !== null) store(workId)
      sendAll()
    },
    hasUnkept: () => get().unsent.unkept().length > 0,
    /** Returns the text that the host may not have yet, as plain text. */
    unkept: () =>
      Object.entries(get().unsent.byKey).flatMap(([key, segments]) =>
        isOwn(key) && segments.length > 0 ? [segmentsText(segments)] : [],
      ),
  }
}

/** Returns the name under which the box keeps its text: the session's, or that of the message that is being edited. */
export function unsentKey({
  conversation: { current },
  composer: { editing },
}: Pick<AppState, 'conversation' | 'composer'>): string {
  const edited = current?.items.find((item) => item.kind === 'user' && item.turn === editing)
  return keyOf({ sessionId: current?.sessionId ?? null, about: edited?.itemId ?? null })
}

/** Returns the name under which an answer to a question of the model is kept until it is sent. */
export function answerKey({ conversation }: Pick<AppState, 'conversation'>, callId: string): string {
  return keyOf({ sessionId: conversation.current?.sessionId ?? null, about: callId })
}

function keyOf({ sessionId, about }: UnsentPlace): string {
  return [sessionId ?? '', ...(about === null ? [] : [about])].join(' ')
}

function placeOf(key: string): UnsentPlace {
  const at = key.indexOf(' ')
  const sessionId = at < 0 ? key : key.slice(0, at)
  return { sessionId: sessionId === '' ? null : sessionId, about: at < 0 ? null : key.slice(at + 1) }
}
