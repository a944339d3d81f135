import type { FolderOffer } from '../../shared/domain/app/added-folder.ts'
import type { AttachedImage } from '../../shared/domain/image/attached-image.ts'
import type { CallAccess } from '../../shared/domain/session/agent-state.ts'
import type { GateEffects } from '../../shared/domain/session/gate.ts'
import type { SandboxHindrance } from '../../shared/domain/session/sandbox.ts'
import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import type { ToolName } from '../../shared/domain/session/tool-name.ts'
import type { CommandEnding, EntryKind, ToolResultView } from '../../shared/domain/session/tool-result.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import type { ProposedCall } from '../agent/agent-events.ts'
import type { CommitHooks } from '../workspace/apply-change-set.ts'
import type { FileChange } from '../workspace/change-plan.ts'
import type { EffectsCall } from './edits/effects-call.ts'

/**
 * A call as the model wrote it. Shape: `callId` is the host's own; `args` is JSON as text; `isCut` where the answer
 * was cut off at its length limit, so that the call is not carried out.
 */
export type RawCall = { callId: string; name: string; args: string; isCut?: true }

/** A file as it is and as it would be, decoded. Null: no such file. Shape: `to` where it is moved. */
export type FilePreview = {
  path: string
  to: string | null
  action: 'create' | 'edit' | 'delete' | 'move'
  oldText: string | null
  newText: string | null
  sizeBytes: number
  /** Set for a link or a folder; the texts are then the targets of a link. */
  entry?: { kind: EntryKind; leadsOut: boolean }
  /** As in `ChangedFile`. */
  mode?: number
  isOpaque?: true
}

/**
 * The command that made a change, and what else it left.
 *
 * Shape: `ignored` by its topmost ignored folder, with the paths that the command put there and removed; `conflicts` and
 * `left` are not applied.
 */
export type EffectFacts = {
  line: string
  folder: string
  ignored: { top: string; written: string[]; removed: string[]; sizeBytes: number; leadsOut: boolean }[]
  conflicts: string[]
  left: GateEffects['left']
}

/** The facts that consent is about, found without changing anything. Paths are real and relative to the folder. */
export type CallFacts =
  | { kind: 'read'; paths: string[] }
  | { kind: 'change'; files: FilePreview[]; effects?: EffectFacts }
  | {
      kind: 'command'
      line: string
      folder: string
      isBackground: boolean
      /** The line that runs in place of a read-only one; null where only the shell can expand its patterns. */
      literal?: string | null
      /** Secrets that git would print from its history. */
      secrets?: readonly string[]
    }
  /**
   * Shape: `place` is the site, or `server/tool`, that rules and consent are about, `line` what it is asked for.
   * `declared`: what the tool of an added server is now.
   */
  | { kind: 'outside'; place: string; line: string; declared?: DeclaredTool }

/** Shape: `fingerprint` of the server and of all that it says of the tool; `description` as far as it is shown. */
export type DeclaredTool = { fingerprint: string; description: string }

export type CallResult = {
  isOk: boolean
  /** For the model: at most 16 KB, head and tail, with the total and how to read the rest. */
  text: string
  /** The whole result, for the window; present where `text`, for the model, leaves something out. */
  shownText?: string
  view: ToolResultView
  /** Images that the model is shown with the text. */
  images?: AttachedImage[]
  /** Resolves when a command that was left running ends. Never rejects. */
  ended?: Promise<CommandEnding>
  /** Changes of a command that ran in a copy of the folder. They need a separate consent. */
  effects?: EffectsCall
  /** Why a command failed in its copy that may succeed outside of it. */
  hindrance?: SandboxHindrance
  /** Set for a command in a speculation whose changes are not kept: its call stays unsettled. */
  isLeftOpen?: true
}

/**
 * A call that touches the world, ready to be judged and then run.
 *
 * Shape: `hash` is of what would be done: the bytes, the command, the paths. `title` is one line for a card.
 */
export type PreparedCall = {
  callId: string
  tool: ToolName
  access: CallAccess
  /** For commands: it passed the read-only check. */
  isReadOnly: boolean
  hash: string
  title: string
  /** The model's own words, where the tool takes them. */
  reason: string | null
  alternatives: string[]
  facts: CallFacts
  /**
   * Returns the same call without some hunks, with a new hash; for changes only. Indexes as `diffHunks` numbers them.
   */
  without(refused: readonly { path: string; hunks: readonly number[] }[]): PreparedCall
  /** For a write into one file: the bytes that the write replaces; null: no such file. */
  madeOn?: Uint8Array | null
  /** Returns the same write on other bytes, with a new hash, without the hunks that were taken out of it. */
  onto?(base: ChangedBase): PreparedCall
  /**
   * Checks the files again. Returns this call where nothing has changed, a new one where the edit still applies to
   * the present files, null where it does not.
   */
  renew(): Promise<PreparedCall | null>
  /** For a command about whose changes the user was asked when a host ended: asks again. Null where they are gone. */
  reopened?(): Promise<EffectsCall | null>
  /** The user wants this command to run in a copy of the folder. */
  isSandboxed?: true
  /** The writes of a change; empty for other calls. */
  changes: readonly FileChange[]
  /** Carries the call out. Errors that a tool can meet are not thrown: they become a result for the model. */
  run(hooks: CallHooks): Promise<CallResult>
}

/**
 * Another base for a write, and the text that results. Shape: `refusedLines` are the lines of the hunks that were taken
 * out, in the previous base.
 */
export type ChangedBase = {
  bytes: Uint8Array | null
  oldText: string
  newText: string
  refusedLines: readonly number[]
}

/** Shape: `isSandboxed`: a command runs in a copy of the folder; `also` notes the call's change set in the store. */
export type CallHooks = {
  onOutput: (text: string) => void
  signal: AbortSignal
  isSandboxed?: boolean
  also?: CommitHooks
}

/**
 * A raw call after it was read and prepared.
 *
 * Shape: `boundary`: a speculation stops at this call or at one before it, and does not make it. `world` calls go to
 * the gate service; `session` calls (plan, review, todo, question) to the machine; `conflicts`: what the model says
 * that the call breaks of goal and constraints, absent where it does not say; `invalid` with the reason that the model
 * is told: no such tool, arguments that its schema refuses, a file that was not read before. Its `error` is set where
 * a file was the reason; `offer` is the folder to add where the file's place was.
 */
export type ReadCall =
  | { kind: 'world'; call: PreparedCall; conflicts?: string }
  | { kind: 'session'; title: string; call: ProposedCall; options: string[]; conflicts?: string }
  | { kind: 'boundary'; callId: string; title: string; boundary: SpeculationBoundary }
  | {
      kind: 'invalid'
      callId: string
      title: string
      reason: string
      error: ErrorInfo | null
      offer?: FolderOffer
    }
