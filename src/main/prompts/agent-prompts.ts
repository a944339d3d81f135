import { z } from 'zod'
import { AgentFailure, CallOutcome } from '../../shared/domain/session/agent-notice.ts'

/** Every prompt for the model of a session, with its inputs: `resources/prompts/<lang>/<id>.md` must agree. */
export const promptInputs = {
  base: [],
  policy: [],
  direct: [],
  surroundings: ['system', 'day', 'folder', 'git', 'commands', 'sandbox', 'tree'],
  tools: ['tools'],
  instructions: ['text'],
  summary: ['text'],
  main: ['situation'],
  'main-changes': ['situation'],
  decision: ['example'],
  'decision-again': [],
  retry: ['issues'],
  'reply-plain': [],
  'reply-question': ['about'],
  'reply-defer': ['about'],
  'work-planning': [],
  'work-execution': [],
  'work-review': [],
  'review-reply': [],
  'work-again': ['step'],
  calls: [],
  'calls-again': [],
  beside: [],
  'beside-again': [],
  compaction: ['characters'],
  result: ['name', 'text'],
  'cut-result': [],
  'unseen-image': ['names'],
  suggestion: [],
  'suggestion-short': [],
  'suggestion-json': [],
  explore: [],
  'explore-question': ['question', 'listing'],
  'explore-last': [],
} as const satisfies Record<string, readonly string[]>

export type PromptId = keyof typeof promptInputs
/** Shape: one text for each input of the prompt. */
type PromptInputs<Id extends PromptId> = Record<(typeof promptInputs)[Id][number], string>

const text = z.string().min(1)
const whys = z.enum(['table', 'condition', 'spent', 'plan-mode'])

/**
 * Texts that tell the model about its calls and about what the host did; `{{name}}` are placeholders as in prompts.
 *
 * Source: `resources/prompts/<lang>/outcome-words.json`.
 */
export const OutcomeWords = z.object({
  outcomes: z.record(CallOutcome, text),
  /** Stands after an outcome that has a reason: `{{reason}}`. */
  because: z.string().includes('{{reason}}'),
  stepRefused: z.record(whys, z.string().includes('{{to}}')),
  checkFailed: z.object({
    goal: z.string().includes('{{reason}}'),
    constraint: z.string().includes('{{reason}}'),
  }),
  courseProposed: z.string().includes('{{item}}').includes('{{value}}'),
  noVerdict: text,
  planModeLeft: text,
  noAnswer: text,
  checkReason: text,
  checkFound: text,
  checkFoundFirst: text,
  checkRound: text,
  checkLeft: text,
  checkRefused: z.string().includes('{{line}}').includes('{{reason}}'),
  outsideRefused: z.string().includes('{{reason}}'),
  planRefused: z.string().includes('{{reason}}'),
  /** Result of an accepted plan on the direct path: the safety list and how to report progress. */
  planAccepted: text,
  afterCrash: text,
  leftAlone: text,
  partlyRefused: text,
  mergedByUser: text,
  keptByUser: text,
  failures: z.record(AgentFailure, text),
  answered: z.string().includes('{{answer}}'),
  /** The user took changes back: `{{files}}`. */
  undone: z.string().includes('{{files}}'),
  /** The user took an undo back: `{{files}}`. */
  redone: z.string().includes('{{files}}'),
  /** A replacement of the user's as it is remembered: `{{from}}`, `{{to}}`. */
  replaced: z.string().includes('{{from}}').includes('{{to}}'),
  /** The user changed in which folders the session works: `{{path}}`. */
  folderAdded: z.string().includes('{{path}}'),
  folderTrusted: z.string().includes('{{path}}'),
  folderUntrusted: z.string().includes('{{path}}'),
  folderRemoved: z.string().includes('{{path}}'),
  /** The instructions of such a folder: `{{text}}`. */
  folderRules: z.string().includes('{{path}}').includes('{{text}}'),
  /** A file that the model has seen has changed: `{{path}}`; several: `{{files}}`. */
  fileChanged: z.string().includes('{{path}}'),
  filesChanged: z.string().includes('{{files}}'),
  /** Asks the user about a call that the model repeats in a loop. */
  loopQuestion: z.string().includes('{{title}}'),
  checkMissing: text,
  /** Asks the user about a call that breaks goal or constraints, and about a plan that was not checked. */
  checkQuestion: z.string().includes('{{title}}').includes('{{conflicts}}'),
  uncheckedQuestion: z.string().includes('{{title}}'),
  /** Stands for the result of a call that has none yet. */
  pending: text,
  /** Why a decision could not be read, for the one retry. */
  unreadable: z.object({
    cut: text,
    'no-object': text,
    'no-json': text,
    invalid: z.string().includes('{{issues}}'),
  }),
})
export type OutcomeWords = z.infer<typeof OutcomeWords>

/** The names of a situation's lines. Source: `resources/prompts/<lang>/situation-words.json`. */
export const SituationWords = z.object({
  step: text,
  status: text,
  mode: text,
  task: text,
  goal: text,
  whyNow: text,
  constraints: text,
  planBrief: text,
  openQuestions: text,
  lastDelta: text,
  decisionLog: text,
  contextRefs: text,
  /** Stands behind a plan that was carried out or given up. */
  formerPlan: text,
  learnedPatterns: text,
  folders: text,
  memory: z.string().includes('{{files}}').includes('{{operations}}'),
  session: z.string().includes('{{id}}').includes('{{conversations}}').includes('{{updated}}'),
  none: text,
  /** Stands in place of the entries of a list that have no room: `{{count}}`. */
  leftOut: z.string().includes('{{count}}'),
  pinned: text,
  modes: z.object({ plan: text, ask: text, 'auto-edit': text, full: text }),
})
export type SituationWords = z.infer<typeof SituationWords>

/** Texts for the placeholders of the surroundings. Source: `resources/prompts/<lang>/surroundings-words.json`. */
export const SurroundingsWords = z.object({
  /** Commands that the folder names. */
  found: z.string().includes('{{commands}}'),
  noGit: z.string(),
  git: z.string().includes('{{branch}}').includes('{{changed}}'),
  more: z.string().includes('{{count}}'),
  copy: text,
  inPlace: z.string(),
})
export type SurroundingsWords = z.infer<typeof SurroundingsWords>

export type Language = 'ja' | 'en'

/** All texts of ours that a session's model reads, in one language. */
export type AgentPrompts = {
  render<Id extends PromptId>(id: Id, inputs: PromptInputs<Id>): string
  outcomes: OutcomeWords
  situation: SituationWords
  surroundings: SurroundingsWords
  /** The free texts of a decision's example. */
  decision: Record<string, string>
}
