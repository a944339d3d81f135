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
import type { FileChange } from '../workspace/change-plan.ts'
import type { EffectsCall } from './edits/effects-call.ts'

/**
 * A call as the model wrote it. Shape: `callId` is the host's own; `args` JSON as text; `isCut` where the answer
 * was cut off by its length, so that nothing of it is carried out.
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
  /** It is no file; the texts are where a link leads. */
  entry?: { kind: EntryKind; leadsOut: boolean }
}

/**
 * The command that made a change, and what else it left.
 *
 * Shape: `ignored` by its topmost ignored folder; `conflicts` and `left` are not taken over.
 */
export type EffectFacts = {
  line: string
  folder: string
  ignored: { top: string; files: number; sizeBytes: number; leadsOut: boolean }[]
  conflicts: string[]
  left: GateEffects['left']
}

/** What consent is about: facts, found without touching anything. Paths are real and relative to the folder. */
export type CallFacts =
  | { kind: 'read'; paths: string[] }
  | { kind: 'change'; files: FilePreview[]; effects?: EffectFacts }
  | {
      kind: 'command'
      line: string
      folder: string
      isBackground: boolean
      /** What would run where it only reads; null where only the shell can tell what its patterns name. */
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
  view: ToolResultView
  /** What the model is shown besides. */
  images?: AttachedImage[]
  /** Of a command that was left running: when it ends. Never rejects. */
  ended?: Promise<CommandEnding>
  /** Of a command that ran in a copy of the folder: its changes, which need consent of their own. */
  effects?: EffectsCall
  /** Why it failed in its copy and may not fail outside. */
  hindrance?: SandboxHindrance
  /** Of a command in a speculation of which nothing is kept: its call is not settled. */
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
   * The same with some hunks taken out, as its new hash; for changes only. Indexes as `diffHunks` numbers them.
   */
  without(refused: readonly { path: string; hunks: readonly number[] }[]): PreparedCall
  /** Of a write into one file: the bytes that it is made on; null: no such file. */
  madeOn?: Uint8Array | null
  /** The same write made on other bytes, as its new hash, without the hunks that were taken out of it. */
  onto?(base: ChangedBase): PreparedCall
  /**
   * Looks again at the files: this call where nothing has changed, a new one where the edit still applies to
   * what is there now, null where it does not.
   */
  renew(): Promise<PreparedCall | null>
  /** The user wants this command to run in a copy of the folder. */
  isSandboxed?: true
  /** What the change would write; empty for anything else. */
  changes: readonly FileChange[]
  /** Carries it out. Never throws for what a tool can meet: that is a result for the model. */
  run(hooks: CallHooks): Promise<CallResult>
}

/**
 * What a write is made on instead, and what it makes of it. Shape: `refusedLines` are the lines, in the text it was made
 * on before, of the hunks that were taken out.
 */
export type ChangedBase = {
  bytes: Uint8Array | null
  oldText: string
  newText: string
  refusedLines: readonly number[]
}

/** Shape: `isSandboxed`: a command runs in a copy of the folder. */
export type CallHooks = { onOutput: (text: string) => void; signal: AbortSignal; isSandboxed?: boolean }

/**
 * What became of a raw call.
 *
 * Shape: `boundary`: a speculation stops at this call or at one before it, and does not make it. `world` calls go to the gate service; `session` calls (plan, review, todo, question) to the machine;
 * `conflicts`: what the model says that it breaks of goal and constraints, absent where it does not say;
 * `invalid` with why, as the model is told: no such tool, arguments that its schema refuses, a file that was
 * not read before. Its `error` is there where a file was the reason; `offer` is the folder to add where its place was.
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
