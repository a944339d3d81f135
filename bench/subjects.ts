import type { BenchOptions, Report } from './report.ts'

export type Subject = { measure(options: BenchOptions): Promise<Report> }

/** What is measured, in the order of the report; each module is loaded in a process of its own. */
export const subjects: Record<string, () => Promise<Subject>> = {
  host: () => import('./host.ts'),
  documents: () => import('./documents.ts'),
  editor: () => import('./editor.ts'),
  vertical: () => import('./vertical.ts'),
  work: () => import('./work.ts'),
  opening: () => import('./opening.ts'),
  conversation: () => import('./conversation.ts'),
  fitting: () => import('./fitting.ts'),
  grep: () => import('./grep.ts'),
  overlay: () => import('./overlay.ts'),
  accept: () => import('./accept.ts'),
  sandbox: () => import('./sandbox.ts'),
  references: () => import('./references.ts'),
  reuse: () => import('./reuse.ts'),
  session: () => import('./session.ts'),
  suggestions: () => import('./suggestions.ts'),
  memory: () => import('./memory.ts'),
  ask: () => import('./ask.ts'),
  model: () => import('./model.ts'),
}
