import type { TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import type { QueuedMessage } from '../../../shared/domain/session/session.ts'
import type { SpeculationBoundary } from '../../../shared/domain/session/speculation.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import type { AgentModel } from '../../agent/model/agent-model.ts'
import type { AgentModelDeps } from '../../agent/model/agent-request.ts'
import type { AgentWords } from '../../agent/model/prompt/agent-words.ts'
import type { FolderChecks } from '../../checks/turn-checks.ts'
import type { Log } from '../../deps.ts'
import type { GateService } from '../../gates/gate-service.ts'
import type { Toolbox } from '../../tools/create-toolbox.ts'
import type { ReadLedger } from '../../tools/edits/read-ledger.ts'
import type { LiveSession } from '../live-session.ts'
import type { SubmitItem } from '../prompt-submit.ts'

export type ConsentGates = Pick<
  GateService,
  'askPlan' | 'askEffects' | 'askOutside' | 'revalidate' | 'view' | 'answer' | 'withdraw'
> & {
  /** Shape: `boundary` in a speculation that stops behind these calls; else null. */
  ask(
    ...asked: [...Parameters<GateService['ask']>, boundary: SpeculationBoundary | null]
  ): ReturnType<GateService['ask']>
}

export type RunnerEvents = {
  /** A turn has ended, nothing is in progress any more, and no queued message begins another. */
  turnEnded(how: TurnEnd): void
  /** A gate is about to be shown. */
  gateOpened(): void
}

/** The parts of a runner that depend on the folder and the language of its session. */
type RunnerTools = {
  root: string
  toolbox: Toolbox
  /** The texts for the model, in the language of the session. */
  words(): Omit<AgentWords, 'folder' | 'folderRules' | 'accepted'>
  log: Log
  /** The file contents that the model has seen. */
  ledger: Pick<ReadLedger, 'note' | 'heard' | 'isNews' | 'fileOf'>
  /** Returns the files that the model knows and whose content has changed since, without the model's being told. */
  changedFiles(): Promise<{ path: string; hash: string }[]>
  /** The folder's instructions are used only where the user trusts the folder. */
  isTrusted(): boolean
  /** The project's own instructions for assistants; null where there are none. */
  instructions(): Promise<string | null>
  /** Describes where the model works, told once on the direct path. Absent: nothing is told. */
  surroundings?(signal: AbortSignal): Promise<string>
  isFolderThere(): Promise<boolean>
}

/** The tools of a session or of a fork: what its runner and its model need of its folder. */
export type SessionTools = RunnerTools & Pick<AgentModelDeps, 'readLines'>

export type RunnerDeps = RunnerTools & {
  session: LiveSession
  /** The model without requests for suggestions, which are made beside the runner. */
  model: Omit<AgentModel, 'suggest' | 'preRead'>
  consent: ConsentGates
  /**
   * Returns the attachments of a queued message, read now.
   *
   * Errors: why it is not sent.
   */
  submit(message: QueuedMessage): Promise<SubmitItem[]>
  /** Called when the model has answered (null) or failed: its status in the window follows. */
  heardModel(error: ErrorInfo | null): void
  /** The user wants the model to review every change. Absent: only where it is due. */
  isReviewed?(): boolean
  /** The folder's checks, which run after a turn's last change. Absent in a fork: none are made there. */
  checks?: FolderChecks
  /** Names of servers that the folder proposes and the user has not decided about. */
  proposedServers?(): Promise<readonly string[]>
  events: RunnerEvents
}
