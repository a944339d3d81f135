import { counterLimits } from '../../../shared/domain/session/agent-state.ts'
import type { CallItem } from '../../../shared/domain/session/session-item.ts'
import { fenced } from '../../../shared/text/manuscript/fenced.ts'
import { TurnChecks } from '../../checks/turn-checks.ts'
import { limited } from '../../tools/defining/result-text.ts'
import type { CallFacts, CallResult, ReadCall } from '../../tools/prepared-call.ts'
import type { ConversationWriter } from './conversation-writer.ts'
import { newCallItem, type OpenCall, openCallOf } from './open-call.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Units: seconds. */
const checkTimeoutS = 600

type EndedCall = { callId: string } & Pick<OpenCall, 'itemId' | 'check' | 'call'>

/**
 * Makes the folder's checks as calls of the host: with a card and the consent of any command, but without a call of
 * the model's in the prompt. New problems are told to the model as a note.
 */
export class CheckCalls {
  readonly #deps: Pick<RunnerDeps, 'session' | 'toolbox' | 'words'>
  readonly #writer: Pick<ConversationWriter, 'note'>
  readonly #checks: TurnChecks | null
  /** Checks that have found new problems, until the machine is told. */
  readonly #problems = new Set<string>()

  constructor(
    deps: Pick<RunnerDeps, 'session' | 'toolbox' | 'words' | 'checks'>,
    writer: Pick<ConversationWriter, 'note'>,
  ) {
    this.#deps = deps
    this.#writer = writer
    this.#checks = deps.checks === undefined ? null : new TurnChecks(deps.checks)
  }

  /** `hasChanged`: the turn was begun elsewhere, and has changed files there. */
  beginTurn(hasChanged: boolean): void {
    this.#checks?.beginTurn()
    if (hasChanged) this.#checks?.changed()
  }

  /** Reads the calls of the checks that are due. */
  async propose(): Promise<{ call: ReadCall; open: OpenCall }[]> {
    const { session, toolbox } = this.#deps
    const { counters, mode } = session.state
    const isSpent = counters.checkRuns >= counterLimits.checkRuns || mode === 'plan'
    const due = isSpent ? [] : (this.#checks?.due() ?? [])
    if (due.length === 0) return []
    const seq = `${session.turn}-${counters.checkRuns + 1}`
    const raw = due.map((line, at) => ({
      callId: `check-${seq}-${at + 1}`,
      name: 'run_command',
      args: JSON.stringify({ line, reason: this.#deps.words().checkReason(), timeout_s: checkTimeoutS }),
    }))
    const read = await toolbox.prepare(raw)
    return read.flatMap((call, at) => {
      const [made, line] = [raw[at], due[at]]
      if (made === undefined || line === undefined) return []
      const { itemId } = session.add({ ...newCallItem(made), title: line, check: 'due' })
      if (call.kind === 'world') return [{ call, open: openCallOf(call, itemId, line) }]
      this.notRun(line)
      const text = call.kind === 'invalid' ? call.reason : ''
      session.change(itemId, 'call', { state: 'refused', outcome: 'not-run', text })
      return []
    })
  }

  /** Makes the checks due again after a change to files; files that a check itself has left do not count. */
  changed({ effects }: Extract<CallFacts, { kind: 'change' }>): void {
    if (effects === undefined || this.#checks?.isCheck(effects.line) !== true) this.#checks?.changed()
  }

  /** Records that a check was refused or stopped: it is not asked about again for the same change. */
  notRun(line: string): void {
    this.#checks?.settle(line)
  }

  /** Tells the model why the user refused a check. */
  refused(line: string, reason: string): void {
    this.#writer.note(this.#deps.words().checkRefused(line, reason))
  }

  /** Reads the result of a command: of a check, its problems; of another command, that it may have changed files. */
  ended({ callId, itemId, check, call }: EndedCall, { view, text }: CallResult): void {
    if (view.kind !== 'command') return
    const exitCode = view.end === 'exited' ? view.exitCode : null
    if (check === null) {
      if (view.isReadOnly || call?.access === 'read') return
      const isWhole = folderOf(call?.facts) === '.' && view.end !== 'background'
      this.#checks?.commandEnded({ line: view.line, exitCode, output: text }, isWhole)
      return
    }
    const finding = this.#checks?.checked({ line: check, exitCode, output: text }) ?? { kind: 'unknown' }
    this.#deps.session.change(itemId, 'call', { check: finding.kind })
    if (finding.kind !== 'new') return
    this.#problems.add(callId)
    const { lines, isCompared } = finding
    const output = fenced(limited(lines.join('\n')))
    const run = this.#deps.session.state.counters.checkRuns
    const found = { line: check, output, isCompared, run, runs: counterLimits.checkRuns }
    this.#writer.note(this.#deps.words().checkFound(found))
  }

  /** True once for a check that has found new problems. */
  hasProblems(callId: string): boolean {
    return this.#problems.delete(callId)
  }
}

/** Returns the folder in which a command ran, also of a call that asks for consent to the command's changes. */
function folderOf(facts: CallFacts | undefined): string {
  const of = facts?.kind === 'change' ? facts.effects : facts
  return of !== undefined && 'folder' in of ? of.folder : '.'
}

/** Returns the line of a check that the host made; null for any other call. */
export function checkOf(item: CallItem | undefined): string | null {
  return item?.check === undefined ? null : item.title
}
