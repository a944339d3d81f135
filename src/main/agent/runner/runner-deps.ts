import type { AgentNotice, CallOutcome } from '../../../shared/domain/agent-notice.ts'
import type { Log } from '../../deps.ts'
import type { GateService } from '../../gates/gate-service.ts'
import type { LiveSession } from '../../sessions/live-session.ts'
import type { Toolbox } from '../../tools/toolbox.ts'
import type { AgentModel } from '../model/agent-model.ts'

/** What the runner needs of the gate service. */
export type ConsentDesk = Pick<GateService, 'ask' | 'askPlan' | 'view' | 'answer' | 'withdraw'>

/** Words for models about what happened without them; data in `resources/prompts`. */
export type RunnerWords = {
  outcome(outcome: CallOutcome, reason: string | null): string
  /** Null: the model need not know. */
  notice(notice: AgentNotice): string | null
  /** What the user is asked when the model goes round in a loop with this call. */
  loopQuestion(title: string): string
  /** The user put these files back. */
  undone(files: readonly string[]): string
}

export type RunnerDeps = {
  session: LiveSession
  root: string
  model: AgentModel
  toolbox: Toolbox
  consent: ConsentDesk
  words: RunnerWords
  log: Log
  /** The project's own instructions for assistants; null where there are none or the folder is not trusted. */
  instructions(): Promise<string | null>
  /** False where the folder is gone. */
  isFolderThere(): Promise<boolean>
}
