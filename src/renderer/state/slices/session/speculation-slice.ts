import type { Client } from '../../../../shared/contract/index.ts'
import type { GateAnswerInput, GateView } from '../../../../shared/domain/session/gate.ts'
import {
  noSpeculation,
  type SpeculationDecision,
  type SpeculationLinkState,
  type SpeculationState,
} from '../../../../shared/domain/session/speculation.ts'
import type { SettledSuggestion } from '../../../../shared/domain/session/suggestion.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import type { AppState } from '../../app-state.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { unsentKey } from '../unsent-slice.ts'

export type SpeculationPreview = NonNullable<Awaited<ReturnType<Client['speculation.preview']>>>

/**
 * A speculation that this window is accepting. `key`: the place of its text, see `unsentKey`; `earlier`: the attempts to
 * accept it before this one. A state of the host with no more of them is older than this attempt.
 */
type Acceptance = { speculationId: string; text: string; key: string; earlier: number }

/** Number of the newest records among which that of an acceptance is looked for. */
const recentEvents = 50

export function createSpeculationSlice(context: SliceContext) {
  const { client, get, patch, follow, memory, tell } = context
  let followed: string | null = null
  let stop: (() => void) | undefined
  /** The speculations that this window is accepting, by session. */
  const acceptances = new Map<string, Acceptance>()
  /** Remembers what a session is accepting, also for the window that comes next. */
  const remember = (sessionId: string, one: Acceptance | null): void => {
    if (one === null) acceptances.delete(sessionId)
    else acceptances.set(sessionId, one)
    memory.write(`accepting ${sessionId}`, one === null ? '' : JSON.stringify(one))
  }
  const acceptanceIn = (sessionId: string): Acceptance | undefined => {
    const stored = memory.read(`accepting ${sessionId}`)
    return acceptances.get(sessionId) ?? (stored ? (JSON.parse(stored) as Acceptance) : undefined)
  }

  /** Asks something about the session that is followed; null where it failed, which the user is told. */
  const ask = async <T>(task: (sessionId: string) => Promise<T>): Promise<T | null> => {
    if (followed === null) return null
    try {
      return await task(followed)
    } catch (error) {
      tell(error, 'rpc/closed')
      return null
    }
  }

  /** Puts the text of a speculation that could not be accepted back into the box. */
  const giveBack = (sessionId: string, { links, ended }: SpeculationState): void => {
    const one = acceptances.get(sessionId)
    if (one === undefined) return
    const link = links.find(({ speculationId }) => speculationId === one.speculationId)
    if (link !== undefined && (link.accepting !== null || link.attempts <= one.earlier)) return
    const back = () => {
      remember(sessionId, null)
      get().composer.giveBack([{ kind: 'text', text: one.text }], one.key)
    }
    if (link !== undefined || ended?.speculationId === one.speculationId) back()
    // The window did not see how it ended, or the host was killed: its record tells.
    else
      void wasDecided(one.speculationId).then((answer) => {
        // Of another folder, the box cannot be reached: the text comes back when the session is shown again.
        if (followed !== sessionId || acceptances.get(sessionId) !== one || answer === null) return
        if (answer) remember(sessionId, null)
        else back()
      })
  }

  /** Returns true where a speculation was accepted, or given up by the user; null where the host cannot be asked. */
  const wasDecided = async (speculationId: string): Promise<boolean | null> => {
    const answer = await ask(() => client['speculation.list']({ limit: recentEvents }))
    if (answer === null) return null
    const event = answer.events.find((one) => one.speculationId === speculationId)
    return event === undefined || event.outcome === 'accepted' || event.outcome === 'rejected'
  }

  /** Removes an accepted text from the box, which takes answers from now on. False: something else stood there. */
  const takeOut = (text: string, key: string): boolean => {
    const { composer, unsent } = get()
    const written = unsent.byKey[key] ?? []
    if (written.some(({ kind }) => kind !== 'text')) return false
    if (written.map((one) => (one.kind === 'text' ? one.text : '')).join('') !== text) return false
    unsent.keep(key, [])
    composer.fillBox([])
    return true
  }

  const load = async (speculationId: string): Promise<void> => {
    const is = await ask((sessionId) => client['speculation.preview']({ sessionId, speculationId }))
    if (get().speculation.preview?.speculationId === speculationId)
      patch('speculation', { preview: is === null ? null : { speculationId, is } })
  }

  /** Keeps the preview up to date with its speculation, and closes it when that is gone or being accepted. */
  const refreshPreview = ({ links }: SpeculationState): void => {
    const { preview } = get().speculation
    if (preview === null) return
    const link = links.find((one) => one.speculationId === preview.speculationId)
    if (link === undefined || link.accepting !== null) patch('speculation', { preview: null })
    else void load(preview.speculationId)
  }

  return {
    current: noSpeculation as SpeculationState,
    /** The speculation that is open for reading. Shape: `is` is null while it is being loaded, and once it no longer exists. */
    preview: null as { speculationId: string; is: SpeculationPreview | null } | null,

    /** Opens the result of a speculation for reading, or closes it. Nothing is written or decided by it. */
    togglePreview(speculationId: string) {
      const isOpen = get().speculation.preview?.speculationId === speculationId
      patch('speculation', { preview: isOpen ? null : { speculationId, is: null } })
      if (!isOpen) void load(speculationId)
    },

    follow(sessionId: string | null) {
      stop?.()
      stop = undefined
      followed = sessionId
      patch('speculation', { current: noSpeculation, preview: null })
      if (sessionId === null) return
      const known = acceptanceIn(sessionId)
      // The request to accept is older than this stream, so each state that arrives takes it into account.
      if (known !== undefined) acceptances.set(sessionId, { ...known, earlier: -1 })
      stop = follow(
        (signal) => client['speculation.watch']({ sessionId }, { signal }),
        (current) => {
          patch('speculation', { current })
          giveBack(sessionId, current)
          refreshPreview(current)
        },
        (error) => {
          patch('speculation', { current: noSpeculation })
          // The session itself says that it is gone.
          tell(error, 'session/not-found')
        },
      )
    },

    /**
     * Brings a speculation into the session and the folder, and settles the suggestion that it was accepted by. True also
     * where another window was first; false where the speculation is gone.
     */
    async accept(speculationId: string, suggestion?: SettledSuggestion) {
      if (suggestion !== undefined) get().suggestion.settle(suggestion.suggestionId)
      const before = get().speculation.current
      const shown = accepting(before, speculationId)
      patch('speculation', { current: shown })
      const link = before.links.find((one) => one.speculationId === speculationId)
      // Removed at once: text that is typed until the host has answered is meant for the questions of the acceptance.
      const key = unsentKey(get())
      const isOut = link !== undefined && takeOut(link.text, key)
      const sessionId = followed
      if (sessionId !== null && link !== undefined)
        remember(sessionId, { speculationId, text: link.text, key, earlier: link.attempts })
      const answer = await ask((of) =>
        client['speculation.accept']({ sessionId: of, speculationId, suggestion }),
      )
      if (answer?.isFirst === true) return true
      if (sessionId !== null && acceptances.get(sessionId)?.speculationId === speculationId)
        remember(sessionId, null)
      if (get().speculation.current === shown) patch('speculation', { current: before })
      if (isOut && answer?.isAccepted !== true)
        get().composer.giveBack([{ kind: 'text', text: link.text }], key)
      return answer?.isAccepted ?? false
    },
    /** Answers the question of the acceptance; returns false where it asks another one by now. */
    async decide(speculationId: string, decision: SpeculationDecision) {
      const answer = await ask((sessionId) =>
        client['speculation.decide']({ sessionId, speculationId, decision }),
      )
      return answer?.isAnswered ?? false
    },
    /**
     * Answers the gate of the acceptance; returns why the answer was not accepted, to be shown at the gate. The reason of
     * a refusal that came too late goes into the box.
     */
    async answerGate(answer: GateAnswerInput): Promise<ErrorInfo | null> {
      const link = speculationLink(get())
      const { gateId, reason } = answer
      if (followed === null || link === null) return { code: 'gate/not-open', gateId }
      const key = unsentKey(get())
      try {
        const { isAnswered } = await client['speculation.decide']({
          sessionId: followed,
          speculationId: link.speculationId,
          decision: { kind: 'gate', answer },
        })
        if (isAnswered) return null
        // The gate, with its field for the reason, is gone.
        if (reason) get().composer.putBack([{ kind: 'text', text: reason }], key)
        return { code: 'gate/not-open', gateId }
      } catch (error) {
        return infoOf(error)
      }
    },
    /** Drops a speculation, or dismisses the notice of one that ended; false where another window was first. */
    async reject(speculationId: string) {
      const answer = await ask((sessionId) => client['speculation.reject']({ sessionId, speculationId }))
      return answer?.isFirst ?? false
    },
    /** Runs a suggestion again; false where that is not possible now, which the user is told. */
    async rerun(speculationId: string) {
      const answer = await ask((sessionId) => client['speculation.rerun']({ sessionId, speculationId }))
      return answer?.isFirst ?? false
    },
    /** Lets speculations run again after a pause for too few acceptances. */
    async resume() {
      await ask(() => client['speculation.resume']({}))
    },
  }
}

/** Returns the speculation that can be accepted next, or is being accepted; the later links of the chain follow it. */
export function speculationLink({ speculation }: Pick<AppState, 'speculation'>): SpeculationLinkState | null {
  return speculation.current.links[0] ?? null
}

/** Returns what an acceptance asks the user, with an id for each question. Null: nothing. */
export function speculationQuestion(
  state: Pick<AppState, 'speculation'>,
): { id: string; step: 'stale' | 'conflicts' } | null {
  const link = speculationLink(state)
  const step = link?.accepting?.step
  if (link == null || (step !== 'stale' && step !== 'conflicts')) return null
  return { id: `${link.speculationId} ${step}`, step }
}

/** Returns the gate at which an acceptance asks for the user's consent; null: none. */
export function speculationGate(state: Pick<AppState, 'speculation'>): GateView | null {
  const { accepting } = speculationLink(state) ?? {}
  return accepting?.step === 'gate' ? accepting.gate : null
}

/** Returns the state as it will be once the host has heard of the acceptance. */
function accepting(state: SpeculationState, speculationId: string): SpeculationState {
  const links = state.links.map((link) =>
    link.speculationId === speculationId
      ? { ...link, phase: 'accepting' as const, accepting: { step: 'finishing' as const }, failure: null }
      : link,
  )
  return { ...state, links }
}
