import { z } from 'zod'
import { type ToolName, type ToolRows, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { AppError, type ErrorInfo } from '../../../shared/errors.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import type { Explorer } from '../../explore/explorer.ts'
import type { ImageStore } from '../../images/image-store.ts'
import type { ServerTools } from '../../mcp/tool-servers.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { fillPlaces } from '../../prompts/fill-places.ts'
import type { WebReader } from '../../web/web-reader.ts'
import type { AnswerFiles } from '../answer-files.ts'
import type { ReadLedger } from '../edits/read-ledger.ts'
import type { CallFacts, CallHooks, CallResult, PreparedCall, ReadCall } from '../prepared-call.ts'
import type { ShellCheck } from '../shell/create-shell-check.ts'
import type { GitCommand } from '../shell/programs/git-command.ts'
import type { GitConfiguration } from '../shell/read-only-run.ts'
import type { ToolOperations } from '../tool-operations.ts'
import { limited } from './result-text.ts'
import { errorSentence, type Places, type ResultKey, type ToolWords } from './tool-words.ts'

/** The services that every tool of a session uses. */
export type ToolContext = {
  operations: ToolOperations
  ledger: ReadLedger
  words: ToolWords
  /** Returns the maximum size of one result. Units: bytes. */
  resultBytes(): number
  shellCheck: Pick<ShellCheck, 'read' | 'readOnly'>
  /** Returns a test that is true for files whose content a search may show without consent. */
  searchFilter(): Promise<(path: string) => boolean>
  /** Folders that the session works in besides its own. Shape: real paths. */
  addedFolders(): readonly string[]
  /** Returns git's configuration as it applies in a folder; null where it is not known. */
  gitConfiguration(folder: string): Promise<GitConfiguration | null>
  /** Returns a test that is true for files of the folder that are secrets, also under another name. */
  secretFiles(): (path: string) => Promise<boolean>
  /** Returns the secrets that these git commands would print in a folder. */
  gitSecrets(folder: string, commands: readonly GitCommand[]): Promise<readonly string[]>
  /** Reads pages of the Web; null while the user has that switched off. */
  web(): WebReader | null
  /** Stores images for the model; null where the model in use takes none. */
  images(): Promise<Pick<ImageStore, 'keep'> | null>
  /** Answers questions about the folder; null where switched off, or where the conversation would lose its cache. */
  explorer(): Explorer | null
  /** The tools of added servers; null where the folder is not trusted. */
  servers(): ServerTools | null
}

export type CallSite = { callId: string; context: ToolContext; files: AnswerFiles }

/**
 * One tool: the schema of its arguments, and the function that prepares its calls.
 *
 * Shape: `args` is the one source of the declaration, of validation and of constrained calls. `accepted` is what a call
 * may have: the same, except that `reason` may be missing and `conflicts` may be given.
 */
export type Tool = {
  name: ToolName
  args: z.ZodObject
  accepted: z.ZodObject
  /** Converts arguments from other shapes that the tool takes to its own shape. */
  reshape(args: Record<string, unknown>): Record<string, unknown>
  /** Returns the title of a card, also for arguments that do not fit. */
  title(args: Readonly<Record<string, unknown>>): string
  /** Errors: `ToolRefusal`, and AppErrors of files. */
  prepare(args: unknown, site: CallSite): Promise<ReadCall>
}

/** The arguments of a tool, which must include the paths that the tool's row of traits names. */
type ArgsOf<Name extends ToolName> = z.ZodObject<
  z.core.$ZodLooseShape & { [Path in keyof ToolRows[Name]['paths']]: z.ZodType }
>

/** The call that a definition prepares. Shape: `tool` is its name, by which its row of traits is found. */
export type ToolSite = CallSite & { tool: ToolName; title: string }

export function defineTool<Name extends ToolName, Args extends ArgsOf<Name>>(tool: {
  name: Name
  args: Args
  /** The argument that says best what the call is about. */
  about: keyof z.infer<Args> & string
  reshape?(args: Record<string, unknown>): Record<string, unknown>
  prepare(args: z.infer<Args>, site: ToolSite): Promise<ReadCall>
}): Tool {
  const title = (args: Readonly<Record<string, unknown>>): string => {
    const about = Object.hasOwn(args, tool.about) ? args[tool.about] : ''
    return titleLine(typeof about === 'string' ? about : '')
  }
  const hasReason = Object.hasOwn(tool.args.shape, 'reason')
  const reasoned = hasReason ? tool.args.extend({ reason: z.string().default('') }) : tool.args
  const isChecked = hasReason || tool.name === 'propose_plan'
  const accepted = isChecked ? reasoned.extend({ conflicts: z.string().optional() }) : reasoned
  return {
    name: tool.name,
    args: tool.args,
    accepted,
    reshape: tool.reshape ?? ((args) => args),
    title,
    prepare: async (args, site) => {
      // Parsing changes at most the reason: it becomes empty where the model gave none.
      const parsed = accepted.parse(args) as z.infer<Args>
      return tool.prepare(parsed, { ...site, tool: tool.name, title: title(parsed) })
    },
  }
}

/** Units: graphemes. */
const limitTitle = 200

export function titleLine(text: string): string {
  return clipLine(text.replace(/\p{Cc}+/gu, ' ').toWellFormed(), limitTitle)
}

/**
 * Returns a text that the session keeps in one line: constrained calls end at `limit`, others are clipped to it.
 *
 * Units: graphemes; a grammar counts code points, never fewer.
 * Source: `docs/decisions/sessions.md` point 6: a field over its limit is clipped, not refused.
 */
export function shortText(limit: number) {
  return z.string().min(1).meta({ maxLength: limit })
}

export function shortLine(text: string, limit: number): string {
  return clipLine(text.toWellFormed(), limit)
}

/** A list that is cut to its first items where it is longer, so that models are not told its bound. */
export function cutList<Item extends z.ZodType>(item: Item, limit: number) {
  return z
    .array(item)
    .meta({ maxItems: limit })
    .transform((items) => items.slice(0, limit))
}

/** Arguments that several tools take. */
export const pathArg = z.string().min(1)
export const reasonArgs = {
  reason: z.string().min(1),
  alternatives: cutList(z.string().min(1), 3).optional(),
}

/** Returns the model's own words on a call, each in one line. Units: graphemes. */
export function ownWords({ reason, alternatives = [] }: z.infer<z.ZodObject<typeof reasonArgs>>) {
  return { reason: shortLine(reason, 500), alternatives: alternatives.map((text) => shortLine(text, 200)) }
}

export function say(context: Pick<ToolContext, 'words'>, key: ResultKey, values: Places = {}): string {
  return fillPlaces(context.words.results[key], values)
}

/** A tool's reason for refusing a call: a sentence of `tool-words.json` and the values for its places. */
export class ToolRefusal extends Error {
  readonly key: ResultKey
  readonly values: Places

  constructor(key: ResultKey, values: Places = {}) {
    super(key)
    this.name = 'ToolRefusal'
    this.key = key
    this.values = values
  }
}

/** Returns what the model is told about an error. Throws it again where it is neither a refusal nor an AppError. */
export function refusalOf(
  error: unknown,
  context: Pick<ToolContext, 'words'>,
): { text: string; error: ErrorInfo | null } {
  if (error instanceof ToolRefusal) return { text: say(context, error.key, error.values), error: null }
  if (error instanceof AppError) return { text: errorSentence(context.words, error.info), error: error.info }
  throw error
}

/** Returns what `work` gives; `other` where an error that a tool can meet ends it. */
export async function orElse<T, Other>(work: () => Promise<T>, other: Other): Promise<T | Other> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError || error instanceof ToolRefusal) return other
    throw error
  }
}

/** Returns the result of a call that failed; `text` says why. */
export function failedResult(text: string): CallResult {
  return { isOk: false, text, view: { kind: 'text' } }
}

const factsOf = { read: 'read', session: 'read', run: 'command', web: 'outside', service: 'outside' } as const

/**
 * Prepares a call that changes no file: a read, a command or a question to a site.
 *
 * Shape: `what` is all that the call does, for its hash. Errors of `run` about files, and a stop, become results.
 * Errors: throws where the tool's row has another access, since that decides how consent is asked.
 */
export function worldCall(
  site: ToolSite,
  call: {
    facts: Exclude<CallFacts, { kind: 'change' }>
    what: unknown
    isReadOnly?: boolean
    reason?: string
    alternatives?: string[]
    run(hooks: CallHooks): Promise<CallResult>
    reopened?: NonNullable<PreparedCall['reopened']>
  },
): ReadCall {
  const { access } = toolTraits[site.tool]
  if (access === 'write' || factsOf[access] !== call.facts.kind)
    throw new Error(`${site.tool}: its row says ${access}, its call is of the kind ${call.facts.kind}`)
  const prepared: PreparedCall = {
    callId: site.callId,
    tool: site.tool,
    access: access === 'run' || access === 'service' ? 'execute' : 'read',
    isReadOnly: call.isReadOnly ?? false,
    hash: contentHash(JSON.stringify([site.tool, call.what])),
    title: site.title,
    reason: call.reason ?? null,
    alternatives: call.alternatives ?? [],
    facts: call.facts,
    changes: [],
    without: () => prepared,
    renew: async () => prepared,
    run: (hooks) => settled(site, hooks, () => call.run(hooks)),
    ...(call.reopened === undefined ? {} : { reopened: call.reopened }),
  }
  return { kind: 'world', call: prepared }
}

/** Runs `work`; a stop and the errors that a tool can meet become results. */
export async function settled(
  { context }: Pick<CallSite, 'context'>,
  { signal }: CallHooks,
  work: () => Promise<CallResult>,
): Promise<CallResult> {
  try {
    signal.throwIfAborted()
    const result = await work()
    return { ...result, text: limited(result.text, context.resultBytes()) }
  } catch (error) {
    if (signal.aborted) return failedResult(say(context, 'call.stopped'))
    return failedResult(limited(refusalOf(error, context).text))
  }
}
