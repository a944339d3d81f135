import { z } from 'zod'
import { ToolName } from '../../../shared/domain/session/tool-name.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { fillPlaces } from '../../prompts/fill-places.ts'

/** Sentences for the model about calls and their results; `{{name}}` are places. */
const resultKeys = [
  'check.conflicts',
  'call.unknown-tool',
  'call.not-json',
  'call.bad-arguments',
  'call.too-long',
  'call.cut',
  'call.stopped',
  'place.other',
  'cut.middle',
  'cut.lines',
  'cut.list',
  'read.head',
  'read.empty',
  'read.beyond',
  'read.is-folder',
  'read.line-cut',
  'read.image',
  'read.no-images',
  'read.image-too-large',
  'list.head',
  'list.empty',
  'list.is-file',
  'glob.none',
  'glob.head',
  'grep.none',
  'grep.head',
  'grep.bad-pattern',
  'edit.not-read',
  'edit.changed-since',
  'edit.not-found',
  'edit.nearest',
  'edit.several',
  'edit.one-of-several',
  'edit.same',
  'edit.done',
  'edit.has-nul',
  'write.not-read',
  'write.changed-since',
  'write.read-in-part',
  'write.same',
  'write.created',
  'write.replaced',
  'file.is-folder',
  'file.is-link',
  'file.no-name',
  'delete.done',
  'move.done',
  'move.exists',
  'move.same',
  'move.across',
  'change.refused-places',
  'change.all-refused',
  'change.left-alone',
  'run.empty',
  'run.no-folder',
  'run.exited',
  'run.signal',
  'run.timeout',
  'run.stopped',
  'run.too-much',
  'run.background',
  'run.failed-to-start',
  'run.no-output',
  'run.keys',
  'run.nothing-kept',
  'run.sandboxed',
  'run.sandboxed-network',
  'run.sandboxed-right',
  'run.sandboxed-secret',
  'run.sandboxed-size',
  'run.sandboxed-mount',
  'run.sandboxed-unlisted',
  'effects.applied',
  'effects.kept',
  'effects.ignored',
  'effects.conflicts',
  'effects.left',
  'effects.refused',
  'effects.declined',
  'effects.not-applied',
  'output.unknown',
  'output.running',
  'output.ended',
  'output.nothing-new',
  'output.more',
  'stop.done',
  'web.off',
  'web.head',
  'web.empty',
  'web.beyond',
  'web.more',
  'web.too-long',
  'web.bad-address',
  'web.has-password',
  'web.private',
  'web.other-site',
  'web.redirects',
  'web.timeout',
  'web.status',
  'web.unreachable',
  'web.not-text',
  'web.too-complex',
  'explore.off',
  'explore.head',
  'explore.cut',
  'explore.silent',
  'explore.no-tools',
  'explore.no-places',
  'explore.unseen',
  'explore.failed',
  'explore.only-reads',
  'explore.needs-leave',
  'mcp.unknown',
  'mcp.head',
  'mcp.empty',
  'mcp.cut',
  'mcp.down',
  'mcp.during',
  'mcp.changed',
  'mcp.forgotten',
] as const
export type ResultKey = (typeof resultKeys)[number]

/** Kinds of problems with an argument, after zod's issue codes. */
const issueKeys = ['missing', 'type', 'choice', 'small', 'big', 'unknown-key', 'other'] as const
export type IssueKey = (typeof issueKeys)[number]

const errorKeys = [
  'file/not-found',
  'file/denied',
  'file/exists',
  'file/read-only',
  'file/outside',
  'file/not-text',
  'file/too-large',
  'file/disk-full',
  'file/changed',
  'file/unencodable',
  'file/bad-name',
  'file/failed',
  'folder/gone',
  'document/conflict',
  'command/no-shell',
  'command/no-folder',
  'command/not-read-only',
  'command/too-long',
  'command/too-many',
  'command/not-started',
  'other',
] as const
type ErrorKey = (typeof errorKeys)[number]

const text = z.string().min(1)

/**
 * All texts of ours about tools that a model reads, in one language. Source:
 * `resources/prompts/<lang>/tool-words.json`.
 */
export const ToolWords = z.strictObject({
  /** A parameter's words are empty where its name says it all. */
  tools: z.record(ToolName, z.strictObject({ description: text, parameters: z.record(text, z.string()) })),
  results: z.record(z.enum(resultKeys), text),
  issues: z.record(z.enum(issueKeys), text),
  errors: z.record(z.enum(errorKeys), text),
})
export type ToolWords = z.infer<typeof ToolWords>

export type Places = Readonly<Record<string, string | number>>

/** Returns a sentence that tells the model what went wrong with a file. */
export function errorSentence(words: ToolWords, info: ErrorInfo): string {
  const key = errorKeys.find((known): known is ErrorKey => known === info.code) ?? 'other'
  return fillPlaces(words.errors[key], { ...info })
}
