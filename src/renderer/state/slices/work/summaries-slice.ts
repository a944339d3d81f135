import type { Take } from '../../../../shared/domain/drafting/take.ts'
import type {
  IdleSummaries,
  SummaryTarget,
  WorkSummaries,
} from '../../../../shared/domain/lore/chapter-summary.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/**
 * A run over one or more targets. Shape: `index` counts from 0; `piece` is one of `pieces` of a long chapter; `made`
 * counts the targets that have an offer by now.
 */
type SummaryMaking = {
  targets: readonly SummaryTarget[]
  made: number
  index: number
  piece: number
  pieces: number
  text: string
}

/** Time from a change of an offer until the host has it. Units: ms. */
const editMs = 400
/** Time from an attempt without a connection until the next one. Units: ms. */
const againMs = 1_000

export function createSummariesSlice({ client, get, patch, follow, tell, attempt }: SliceContext) {
  let running: AbortController | undefined
  let stopIdle: (() => void) | undefined
  let listError: ErrorInfo | null = null
  /** Changed offers that the host does not have yet, by their takes. */
  const unsent = new Map<string, { workId: string; text: string }>()
  let isSending = false

  /** Has an author's decision about a take carried out, and shows the summaries as they are then. */
  async function decide(takeId: string, ask: (workId: string) => Promise<unknown>): Promise<void> {
    const workId = get().work.current?.workId
    if (workId === undefined) return
    try {
      await ask(workId)
      patch('summaries', { error: null })
      await get().summaries.refresh()
      const { [takeId]: _, ...edited } = get().summaries.edited
      patch('summaries', { edited })
    } catch (error) {
      const info = infoOf(error)
      if (info.code !== 'file/changed') return patch('summaries', { error: info })
      // The author's changes of the offer are kept. Accepting again replaces the text that is now shown.
      patch('summaries', { error: null })
      await get().summaries.refresh()
      if (get().work.current?.workId === workId) patch('summaries', { conflict: info.path })
    }
  }

  /** Tells how a run ended, unless the dialog shows it. */
  function tellEnd({ made, targets }: SummaryMaking, end: 'made' | 'stopped' | ErrorInfo): void {
    const { ui, work } = get()
    if (ui.dialog?.kind === 'summaries') return
    const show = { key: 'command.summaries', run: () => get().ui.open({ kind: 'summaries' }) } as const
    const action = work.current === null ? undefined : show
    if (typeof end === 'object') ui.toastError(end, action)
    else ui.toast({ key: `toast.summaries.${end}`, values: { made, total: targets.length } }, action)
  }

  function sendSoon(delayMs: number): void {
    if (!isSending) setTimeout(() => void sendEdits(), delayMs)
    isSending = true
  }

  async function sendEdits(): Promise<void> {
    isSending = false
    for (const [takeId, edit] of unsent) {
      try {
        await client['summary.edit']({ takeId, ...edit })
        if (unsent.get(takeId) === edit) unsent.delete(takeId)
      } catch (error) {
        // The window still has the text.
        const info = infoOf(error)
        if (info.code === 'rpc/closed') return sendSoon(againMs)
        if (unsent.get(takeId) === edit) unsent.delete(takeId)
        patch('summaries', { error: info })
      }
    }
  }

  return {
    value: null as WorkSummaries | null,
    making: null as SummaryMaking | null,
    /** Why the last run or decision failed, until the next one; or why the summaries could not be listed. */
    error: null as ErrorInfo | null,
    /** The file that had changed, or whose offer had, when the offer was accepted; shown as they are now. */
    conflict: null as string | null,
    /** Chapters that the model had nothing to say of. */
    empty: [] as readonly string[],
    /** Chapters for which the model was not asked: they could not be read, or have no text. */
    skipped: [] as readonly { path: string; error: ErrorInfo | null }[],
    /** Offers as the author has changed them, by their takes. */
    edited: {} as Readonly<Record<string, string>>,
    /** State of the summaries that are made while the model is idle; null: that is off. */
    idle: null as IdleSummaries | null,

    edit(takeId: string, text: string) {
      const workId = get().work.current?.workId
      if (workId === undefined) return
      patch('summaries', { edited: { ...get().summaries.edited, [takeId]: text } })
      unsent.set(takeId, { workId, text })
      sendSoon(editMs)
    },
    /** Loads all takes of a summary into `takes.list`. `path`: that of the takes. */
    async loadTakes(path: string) {
      const workId = get().work.current?.workId
      if (workId === undefined) return
      await attempt(async () => {
        const { takes } = await client['take.list']({ workId, path, mode: 'summary', limit: 200 })
        if (get().work.current?.workId === workId) get().takes.merge(takes)
      })
    },
    /** Called with a take of the work that is new or has changed: shows another offer, or none. */
    heard({ mode, state, stopReason }: Take, before: Take | undefined) {
      const isShown = before?.state === state && before.stopReason === stopReason
      if (mode === 'summary' && !isShown && get().summaries.value !== null) void get().summaries.refresh()
    },

    /** Has summaries made for a work while the model is idle, until called with another work, or null. */
    followIdle(workId: string | null) {
      stopIdle?.()
      stopIdle = undefined
      patch('summaries', { idle: null })
      if (workId === null) return
      stopIdle = follow(
        (signal) => client['summary.whileIdle']({ workId }, { signal }),
        (idle) => {
          patch('summaries', { idle })
        },
        tell,
      )
    },

    async refresh() {
      const workId = get().work.current?.workId
      if (workId === undefined) return
      try {
        const value = await client['summary.list']({ workId })
        if (get().work.current?.workId !== workId) return
        // The reason why a run failed stays.
        const isListed = get().summaries.error === listError
        patch('summaries', { value, conflict: null, ...(isListed ? { error: null } : {}) })
        get().preview.invalidate()
      } catch (error) {
        listError = infoOf(error)
        patch('summaries', { error: listError })
      }
    },

    /** Has summaries written; where the dialog is closed at the end, a toast tells it. */
    async make(targets: readonly SummaryTarget[]) {
      const workId = get().work.current?.workId
      if (workId === undefined || running !== undefined || targets.length === 0) return
      const mine = new AbortController()
      running = mine
      let failure: ErrorInfo | null = null
      patch('summaries', {
        making: { targets, made: 0, index: 0, piece: 0, pieces: 1, text: '' },
        error: null,
        empty: [],
        skipped: [],
      })
      try {
        await get().documents.flushAll()
        const input = { workId, targets: [...targets] }
        for await (const event of client['summary.make'](input, { signal: mine.signal })) {
          const { making, empty, skipped } = get().summaries
          if (making === null || running !== mine) break
          if (event.type === 'text')
            patch('summaries', { making: { ...making, text: making.text + event.text } })
          else if (event.type === 'piece') {
            const { target: index, piece, pieces } = event
            patch('summaries', { making: { ...making, index, piece, pieces, text: '' } })
          } else if (event.type === 'made') {
            patch('summaries', { making: { ...making, made: making.made + 1 } })
          } else {
            const target = targets[event.target]
            const path = target?.kind === 'episode' ? target.path : ''
            if (event.type === 'empty') patch('summaries', { empty: [...empty, path] })
            else patch('summaries', { skipped: [...skipped, { path, error: event.error }] })
          }
        }
      } catch (error) {
        if (!mine.signal.aborted) failure = infoOf(error)
      } finally {
        const { making } = get().summaries
        if (running === mine) {
          running = undefined
          patch('summaries', { making: null, ...(failure === null ? {} : { error: failure }) })
          // What was written until a stop or a failure is offered, too.
          void get().summaries.refresh()
          if (making !== null) tellEnd(making, failure ?? (mine.signal.aborted ? 'stopped' : 'made'))
        }
      }
    },
    stop: () => running?.abort(),
    /** Stops, and forgets what is shown, as the work is left. */
    leave() {
      const { making } = get().summaries
      running?.abort()
      running = undefined
      if (making !== null) {
        const { made, targets } = making
        get().ui.toast({ key: 'toast.summaries.stopped', values: { made, total: targets.length } })
      }
      patch('summaries', { value: null, making: null, error: null, conflict: null, empty: [], skipped: [] })
    },

    accept: (takeId: string, text: string, replaces: string) =>
      decide(takeId, (workId) => client['summary.accept']({ workId, takeId, text, replaces })),
    /** Puts an offer aside, as the author has changed it. */
    async discard(takeId: string) {
      await sendEdits()
      await decide(takeId, (workId) => client['summary.discard']({ workId, takeId }))
    },
    /** Offers an earlier take again, in place of the present offer. */
    async offer(takeId: string) {
      await sendEdits()
      await decide(takeId, (workId) => client['summary.offer']({ workId, takeId }))
    },
  }
}
