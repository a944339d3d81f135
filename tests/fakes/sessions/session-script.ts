import { onTestFinished } from 'vitest'
import { calls, plan, scriptedMind, type Thought, workIn } from './scripted-mind.ts'
import { createSessionHost, type SessionHost, type SessionHostOptions } from './session-host.ts'

export type ScriptedHost = SessionHost & { mind: ReturnType<typeof scriptedMind> }

/** Creates a host whose model gives these answers; it is closed at the end of the test. */
export async function scriptedHost(
  thoughts: readonly Thought[],
  options: Omit<SessionHostOptions, 'answer'> = {},
): Promise<ScriptedHost> {
  const mind = scriptedMind(...thoughts)
  const opened = await createSessionHost({ ...options, answer: mind.answer })
  onTestFinished(() => opened.close())
  return Object.assign(opened, { mind })
}

/** The answers that lead to EXECUTION: reading `path`, a plan, the decision to carry it out. */
export function readAndPlan(path: string): Thought[] {
  return [workIn('PLANNING'), calls(['read_file', { path }]), plan(`change ${path}`), workIn('EXECUTION')]
}

/** A turn that only answers. */
export function justAnswer(text: string): Thought[] {
  return [{ decide: {} }, { say: text }]
}

export function editCall(path: string, oldText: string, newText: string): Thought {
  return calls(['edit', { path, old_text: oldText, new_text: newText, reason: 'asked for' }])
}

export function runCall(line: string): Thought {
  return calls(['run_command', { line, reason: 'asked for' }])
}
