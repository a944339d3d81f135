import type { AgentWords } from '../../agent/model/prompt/agent-words.ts'
import type { Clock, Random } from '../../deps.ts'
import type { GateService } from '../../gates/gate-service.ts'
import type { SessionRepository } from '../../store/session-repository.ts'
import type { WritableFolder } from '../../workspace/writable-folder.ts'
import type { FileTexts } from './file-conflict.ts'

export type AcceptanceDeps = {
  clock: Clock
  random: Random
  repository: SessionRepository
  gates: Pick<GateService, 'askApply' | 'weighStaged' | 'basisVersion' | 'answer' | 'view' | 'withdraw'>
  /** Shape: real paths; `added` are the folders that were added to the session. */
  folder(root: string, added: readonly string[]): WritableFolder
  texts: FileTexts
  words(language: 'ja' | 'en'): Pick<AgentWords, 'accepted' | 'notice' | 'outcome'>
}
