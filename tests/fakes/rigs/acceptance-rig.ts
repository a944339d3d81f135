import type { PromptEntry } from '../../../src/main/agent/model/prompt/prompt-entry.ts'
import { contentHash } from '../../../src/main/platform/files/content-hash.ts'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { forkPoint, readFork } from '../../../src/main/sessions/adopted-turn.ts'
import { LiveSession } from '../../../src/main/sessions/live-session.ts'
import type {
  AcceptableLink,
  AcceptingSession,
} from '../../../src/main/speculation/accept/acceptable-link.ts'
import type { Acceptance } from '../../../src/main/speculation/accept/acceptance.ts'
import { createAcceptance } from '../../../src/main/speculation/accept/acceptance.ts'
import type { AcceptanceDeps } from '../../../src/main/speculation/accept/commit-acceptance.ts'
import type { OverlayFile } from '../../../src/main/speculation/overlay/overlay.ts'
import { createForkRepository } from '../../../src/main/speculation/session-fork.ts'
import { ReadLedger } from '../../../src/main/tools/edits/read-ledger.ts'
import { respellText, shownText } from '../../../src/main/tools/edits/respell-text.ts'
import type { ApplyStep, ChangeSets } from '../../../src/main/workspace/apply-change-set.ts'
import { createWritableFolder } from '../../../src/main/workspace/writable-folder.ts'
import { type AgentState, newAgentState } from '../../../src/shared/domain/session/agent-state.ts'
import type { SpeculationBoundary } from '../../../src/shared/domain/session/speculation.ts'
import type { ToolResultView } from '../../../src/shared/domain/session/tool-result.ts'
import type { WholeStore } from '../disks/test-store.ts'
import { manualClock } from '../manual-clock.ts'
import { newSessionRecord } from '../sessions/session-record.ts'
import { changeSetRig } from './change-set-rig.ts'

export const sessionId = 's1'
const speculationId = 'spec-1'

export type AcceptanceRigOptions = {
  dataDir: string
  root: string
  disk?: Disk
  /** Without one everything is allowed. */
  gates?: AcceptanceDeps['gates']
  onStep?: (step: ApplyStep, path?: string) => void | Promise<void>
  /** Saves unsaved text before a file is read. */
  flush?: (absolute: string) => Promise<void>
}

export type PlayedSpeculation = {
  /** Shape: old and new text, by path; null: no such file. */
  files: Record<string, [string | null, string | null]>
  /** Permission bits that a command gave to files, by path. */
  modes?: Record<string, number>
  /** The topmost ignored folder of files that Git ignores, by path. */
  ignored?: Record<string, string>
  reads?: Record<string, string>
  /** Files that changed since a command ran. */
  stale?: string[]
  /** The fork's state; without it its review has approved. */
  state?: Partial<AgentState>
  boundary?: SpeculationBoundary
  /** Calls of its last answer that have no result. */
  openCalls?: string[]
}

/** A session after one turn in a real store, and the acceptance of its forks. */
export type AcceptanceRig = {
  store: WholeStore
  changeSets: ChangeSets
  session: LiveSession
  acceptance: Acceptance
  into: AcceptingSession
  ledger: ReadLedger
  /** Entries that the session's runner must send to its model with the next request. */
  inherited: PromptEntry[]
  /** Plays a turn in a fork of the session as it is now. */
  play(played: PlayedSpeculation): AcceptableLink
}

export function acceptanceRig(options: AcceptanceRigOptions): AcceptanceRig {
  const { dataDir, root } = options
  const disk = options.disk ?? nodeDisk
  const { store, changeSets } = changeSetRig(dataDir, {
    disk,
    ...(options.onStep ? { onStep: options.onStep } : {}),
  })
  const clock = manualClock()
  const repository = store.sessions
  const base = { clock, random: systemRandom, onListed: () => undefined }
  if (store.works.recent().length === 0) firstTurn(store, root, { ...base, repository })
  const session = new LiveSession({ ...base, repository }, sessionId)
  const ledger = new ReadLedger()
  const inherited: PromptEntry[] = []
  const acceptance = createAcceptance({
    ...base,
    repository,
    gates: options.gates ?? freeGates,
    folder: (folderRoot, added) =>
      createWritableFolder({
        root: folderRoot,
        added,
        disk,
        changeSets,
        documents: {
          flush: options.flush ?? (async () => undefined),
          beginChange: () => () => undefined,
          fileChanged: async () => undefined,
          fileRemoved: async () => undefined,
          fileMoved: () => undefined,
        },
      }),
    texts: { read: shownText, respell: respellText },
    words: () => ({
      accepted: ({ refused, merged, kept, reason }) =>
        refused.length + merged.length + kept.length === 0
          ? ''
          : JSON.stringify({ refused, merged, kept, reason }),
      notice: ({ kind }) => kind,
      outcome: (outcome) => outcome,
    }),
  })
  const runner = {
    held: [],
    forget: () => undefined,
    inherit: (entries: readonly PromptEntry[]) => void inherited.push(...entries),
  }
  return {
    store,
    changeSets,
    session,
    acceptance,
    inherited,
    ledger,
    into: { session, runner, root, ledger },
    play: (played) => playSpeculation(session, base, played),
  }
}

const freeGates: AcceptanceDeps['gates'] = {
  askApply: async (_context, { callId, hash }) => ({
    records: [{ callId, by: 'mode', name: 'auto-edit', hash }],
    denied: [],
    gates: [],
  }),
  weighStaged: async () => [],
  basisVersion: async () => '',
  answer: () => Promise.reject(new Error('nothing was asked')),
  view: () => {
    throw new Error('nothing was asked')
  },
  withdraw: () => undefined,
}

type SessionDeps = ConstructorParameters<typeof LiveSession>[0]

function firstTurn(store: WholeStore, root: string, deps: SessionDeps): void {
  const { workId } = store.works.open(root, 'work', 0)
  store.sessions.add(newSessionRecord(sessionId, workId))
  const session = new LiveSession(deps, sessionId)
  say(session, 'first')
  session.appendEntries([{ turn: 1, role: 'assistant', kind: 'reply', text: 'done' }])
  session.setState({ ...newAgentState(), status: 'REQUIRES_USER_INPUT' })
  session.flush()
}

function say(session: LiveSession, text: string): void {
  session.startTurn([{ kind: 'text', text }])
  session.add({ kind: 'user', how: 'send', segments: [{ kind: 'text', text }] })
  session.appendEntries([{ turn: session.turn, role: 'user', kind: 'message', text }])
}

const reviewed = { step: 'REVIEW', status: 'IN_PROGRESS', waiting: 'gate' } as const

function playSpeculation(
  session: LiveSession,
  deps: Omit<SessionDeps, 'repository'>,
  played: PlayedSpeculation,
): AcceptableLink {
  const from = forkPoint(session)
  const repository = createForkRepository(session.record, session.log)
  const fork = new LiveSession({ ...deps, repository }, sessionId)
  say(fork, 'second')
  const { turn } = fork
  const open = (played.openCalls ?? []).map((callId) => ({ callId, name: 'run_command', args: '{}' }))
  const edit = { callId: 'edit-1', name: 'edit', args: '{}' }
  const call = { title: '', tool: null, outcome: null, text: '' } as const
  const view: ToolResultView = { kind: 'change', files: [], changeSetId: '', refusedHunks: 0 }
  fork.add({ kind: 'call', ...call, ...edit, state: 'done', view })
  for (const one of open) fork.add({ kind: 'call', ...call, ...one, state: 'asked', view: null })
  fork.appendEntries([
    { turn, role: 'assistant', kind: 'work', text: 'I edit.', calls: [edit, ...open] },
    { turn, role: 'tool', kind: 'result', callId: 'edit-1', text: 'edited' },
  ])
  fork.count({ calls: 1, completionTokens: 7 })
  const { state } = session
  const isReviewed = played.state === undefined
  const staged = { callId: speculationId, hash: 'staged' }
  fork.setState(
    isReviewed
      ? { ...state, ...reviewed, staged, turn: { ...state.turn, gateRequest: 'apply' } }
      : { ...state, staged, ...played.state },
  )
  const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text))
  const files = Object.entries(played.files).map(
    ([path, [old, now]]): OverlayFile => ({
      path,
      baseHash: old === null ? null : contentHash(old),
      baseBytes: bytes(old),
      newBytes: bytes(now),
      mode: played.modes?.[path] ?? null,
      ignoredTop: played.ignored?.[path] ?? null,
    }),
  )
  return {
    speculationId,
    boundary: played.boundary ?? null,
    overlay: {
      files: async () => files,
      reads: () => new Map(Object.entries(played.reads ?? {})),
      staleForCommands: async () => ({ paths: played.stale ?? [], hasMore: false }),
      takeIn: (write) => write(),
    },
    ledger: new ReadLedger(),
    held: [],
    heldBefore: [],
    fork: () => readFork(from, fork, repository, 'script'),
  }
}
