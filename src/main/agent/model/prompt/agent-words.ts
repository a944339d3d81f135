import type {
  AgentFailure,
  AgentNotice,
  CallOutcome,
} from '../../../../shared/domain/session/agent-notice.ts'
import type { Replacement } from '../../../../shared/text/difference/word-difference.ts'
import type { AgentPrompts } from '../../../prompts/agent-prompts.ts'

type FoundProblems = { line: string; output: string; isCompared: boolean; run: number; runs: number }

/** Paths of files that an acceptance did not take as they were made; `reason` is the user's, for a refusal. */
type AlteredFiles = {
  refused: readonly string[]
  merged: readonly string[]
  kept: readonly string[]
  reason: string | null
}

export type AgentWords = ReturnType<typeof agentWords>

/** Returns the texts that tell the model what happened without it. */
export function agentWords({ outcomes: words, situation }: AgentPrompts) {
  return {
    outcome(outcome: CallOutcome, reason: string | null): string {
      if (outcome === 'answered' && reason !== null) return filled(words.answered, { answer: reason })
      if (reason === null || reason === '') return words.outcomes[outcome]
      return `${words.outcomes[outcome]} ${filled(words.because, { reason })}`
    },
    /** Null: the model need not know. */
    notice(notice: AgentNotice): string | null {
      switch (notice.kind) {
        case 'step-refused':
          return filled(words.stepRefused[notice.why], { from: notice.from, to: notice.to })
        case 'check-failed':
          return filled(words.checkFailed[notice.check], { reason: notice.reason })
        case 'course-proposed':
          return filled(words.courseProposed, {
            item: situation[notice.item],
            value: [notice.value].flat().join(' / '),
          })
        case 'no-verdict':
          return words.noVerdict
        case 'continue-after-crash':
          return words.afterCrash
        case 'no-answer':
          return words.noAnswer
        case 'plan-refused':
          return filled(words.planRefused, { reason: notice.reason })
        case 'plan-mode-left':
          return words.planModeLeft
        case 'left-alone':
          return filled(words.leftAlone, { paths: notice.paths.join(', ') })
        // The others are for the log and the user.
        case 'ignored':
        case 'clipped':
        case 'pattern-proposed':
        case 'question-deferred':
        case 'stale-approval':
        case 'leave-plan-mode':
        case 'limit':
        case 'servers-starting':
        case 'servers-proposed':
          return null
      }
    },
    failure: (failure: AgentFailure): string => words.failures[failure],
    /** Files are no longer as the model last saw them. */
    filesChanged: (files: readonly string[]) =>
      files.length === 1
        ? filled(words.fileChanged, { path: files[0] ?? '' })
        : filled(words.filesChanged, { files: listed(files) }),
    /** The user changed in which folders the session works, or what is trusted of them. */
    folder: (change: 'Added' | 'Removed' | 'Trusted' | 'Untrusted', path: string) =>
      filled(words[`folder${change}`], { path }),
    folderRules: (path: string, text: string) => filled(words.folderRules, { path, text }),
    undone: (files: readonly string[]) => filled(words.undone, { files: listed(files) }),
    /** Words a replacement of the user's as it is remembered. */
    replaced: ({ from, to }: Replacement) => filled(words.replaced, { from, to }),
    redone: (files: readonly string[]) => filled(words.redone, { files: listed(files) }),
    /** Lists what an acceptance did not take unchanged: places refused, files merged by hand, files left as they are. */
    accepted({ refused, merged, kept, reason }: AlteredFiles): string {
      const lines = [
        [words.partlyRefused, refused],
        [words.mergedByUser, merged],
        [words.keptByUser, kept],
      ] as const
      const said = lines.flatMap(([text, paths]) =>
        paths.length === 0 ? [] : filled(text, { files: paths.join(', ') }),
      )
      if (reason !== null && reason !== '') said.push(filled(words.because, { reason }))
      return said.join('\n')
    },
    loopQuestion: (title: string) => filled(words.loopQuestion, { title }),
    /** A plan was accepted on the direct path: says how to carry it out. */
    planAccepted: (): string => words.planAccepted,
    /** Says that a change was not carried out because it does not name the constraints that it breaks. */
    checkMissing: (): string => words.checkMissing,
    /** Asks the user about a call that breaks goal or constraints; empty `conflicts`: the call does not say. */
    checkQuestion: (title: string, conflicts: string) =>
      filled(conflicts === '' ? words.uncheckedQuestion : words.checkQuestion, { title, conflicts }),
    checkReason: (): string => words.checkReason,
    checkRefused: (line: string, reason: string) => filled(words.checkRefused, { line, reason }),
    /** The user refused to run outside what had failed in a copy of the folder. */
    outsideRefused: (reason: string) => filled(words.outsideRefused, { reason }),
    /** Tells the model that a check of the folder found new problems; it was run `run` of `runs` of this turn. */
    checkFound({ line, output, isCompared, run, runs }: FoundProblems): string {
      const next =
        run < runs
          ? filled(words.checkRound, { round: String(run), rounds: String(runs - 1) })
          : words.checkLeft
      const found = filled(isCompared ? words.checkFound : words.checkFoundFirst, { line, next })
      return `${found}\n${output}`
    },
  }
}

/** Most names in a note; a longer list ends with the number of all names. */
const mostNames = 20

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ')
  return names.length > mostNames ? `${shown}, … (${names.length})` : shown
}

function filled(text: string, values: Record<string, string>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
}
