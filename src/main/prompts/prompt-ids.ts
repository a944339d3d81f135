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
} as const satisfies Record<string, readonly string[]>

export type PromptId = keyof typeof promptInputs
/** Shape: one text for each input of the prompt. */
export type PromptInputs<Id extends PromptId> = Record<(typeof promptInputs)[Id][number], string>
