import type { FolderOffer } from '../../shared/domain/app/added-folder.ts'
import { serverToolPrefix, type ToolName } from '../../shared/domain/session/tool-name.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import type { ToolDeclaration } from '../models/client/model-client.ts'
import { AnswerFiles } from './answer-files.ts'
import { limitArgsChars, readArguments } from './defining/read-arguments.ts'
import { cutMiddle, harmless, limited, limitResultBytes, resultBytesFor } from './defining/result-text.ts'
import { refusalOf, say, type ToolContext, titleLine } from './defining/tool.ts'
import { toolNamed } from './definitions/all-tools.ts'
import { ReadLedger } from './edits/read-ledger.ts'
import type { RawCall, ReadCall } from './prepared-call.ts'
import {
  callSchema,
  changingTools,
  declareTools,
  directTools,
  namesCommandTools,
  offeredTools,
  schemaLine,
  serverDeclarations,
} from './tool-schema.ts'

export type CallSchemaOptions = { tools?: readonly ToolName[]; most?: number }

/** The tools of one session over one world. */
export type Toolbox = {
  /**
   * Starts added servers that were not started yet. Returns the names of those that are still starting: their tools are
   * declared from the next request on. Absent: there are none.
   */
  begin?(): string[]
  /** Sorted by name, and the same from a session's first message on until the user switches tools or servers. */
  readonly declarations: readonly ToolDeclaration[]
  /**
   * The same for a model on the direct path: plans, and changes while constraints hold, say what they break. Tools for
   * running commands are included once a result has named them.
   */
  directDeclarations?(
    course: { constraints: readonly string[] },
    results: readonly { role: string; text: string }[],
  ): readonly ToolDeclaration[]
  /**
   * A schema of `{calls: [{tool, args}, …]}` for models without native calls; no call at all ends the work. Paths
   * and old lines are constrained to what exists where the grammar stays small.
   *
   * Shape: `tools` are those that the current step takes (all), `most` calls of one answer (4).
   */
  callSchema(options?: CallSchemaOptions): Promise<Record<string, unknown>>
  /**
   * Parses and prepares the calls of one answer, in order: a later edit applies to the result of an earlier one.
   * Changes nothing. Never throws for what a model can write.
   */
  prepare(calls: readonly RawCall[]): Promise<ReadCall[]>
  /** Sets the model's context window, with which the size of results scales. Units: tokens; null: not known. */
  noteWindow?(windowTokens: number | null): void
  /** Returns the read and written files that the session still knows, newest first; a compaction reads them again. */
  filesInUse(): { path: string; from: number; to: number }[]
}

/** The services that a session's tools can do without. Every file is shown, and no line with git counts as read-only. */
const absent = {
  searchFilter: async () => () => true,
  gitConfiguration: async () => null,
  gitSecrets: async () => [],
  secretFiles: () => async () => false,
  addedFolders: () => [],
  web: () => null,
  explorer: () => null,
  images: async () => null,
  servers: () => null,
} satisfies Partial<ToolContext>

/**
 * Creates the tools of one session over `operations`.
 *
 * Shape: `ledger` knows which files the model has seen; code that shows a file to the model in another way (a
 * reference, a compaction) must note it there. `offerFolder` returns the folder to add so that a path outside can be
 * reached; without it no folder is offered.
 */
export function createToolbox({
  offerFolder,
  ...given
}: Pick<ToolContext, 'operations' | 'shellCheck' | 'words'> &
  Partial<Omit<ToolContext, 'resultBytes'>> & {
    offerFolder?: (path: string) => Promise<FolderOffer | null>
  }): Toolbox {
  let resultBytes = limitResultBytes
  const context: ToolContext = {
    ...absent,
    ledger: new ReadLedger(),
    ...given,
    resultBytes: () => resultBytes,
  }
  const declared = new Map<string, { key: string; declarations: ToolDeclaration[] }>()
  /** Returns the same array until a declaration in it changes. */
  function declarationsWith(names: readonly ToolName[], checked: readonly ToolName[]): ToolDeclaration[] {
    const added = serverDeclarations(context)
    const key = [...names, ...added.map(({ name }) => name)].join()
    const place = `${checked.join()} ${names.join()}`
    const known = declared.get(place)
    if (known?.key === key) return known.declarations
    const declarations = [...declareTools(context.words, names, checked), ...added]
    declared.set(place, { key, declarations })
    return declarations
  }
  const withOffer = async (call: ReadCall): Promise<ReadCall> => {
    if (call.kind !== 'invalid' || call.error?.code !== 'file/outside') return call
    const offer = await offerFolder?.(call.error.path)
    return offer == null ? call : { ...call, offer }
  }
  return {
    get declarations() {
      return declarationsWith(offeredTools(context), [])
    },
    directDeclarations: ({ constraints }, results) => {
      const changing = constraints.length > 0 ? changingTools : []
      const names = directTools(context, namesCommandTools(results))
      return declarationsWith(names, [...changing, 'propose_plan'])
    },
    noteWindow(windowTokens) {
      resultBytes = resultBytesFor(windowTokens)
    },
    begin: () => context.servers()?.begin() ?? [],
    callSchema: (options) => callSchema(context, options),
    async prepare(calls) {
      const files = new AnswerFiles(context.operations)
      const read: ReadCall[] = []
      // In order: a later edit applies to the result of an earlier one.
      for (const call of calls) {
        read.push(await withOffer(await prepareCall(context, files, call)))
      }
      return read
    },
    filesInUse: () => context.ledger.filesInUse(),
  }
}

/** Maximum length of the arguments that an error repeats to the model. Units: bytes. */
const limitReceived = 600

/** Rewrites a call of an added server's tool as a call of `mcp`; arguments that are no JSON object stay as they are. */
function ownCall(raw: RawCall): RawCall {
  if (!raw.name.startsWith(serverToolPrefix)) return raw
  const inner = raw.args.trim() === '' ? '{}' : raw.args
  return {
    ...raw,
    name: 'mcp',
    args: inner.trimStart().startsWith('{')
      ? `{"tool":${JSON.stringify(raw.name)},"arguments":${inner}}`
      : raw.args,
  }
}

async function prepareCall(context: ToolContext, files: AnswerFiles, written: RawCall): Promise<ReadCall> {
  const raw = ownCall(written)
  const { callId } = raw
  const name = titleLine(raw.name)
  const offered = directTools(context, true)
  const isKnown = offered.some((one) => one === raw.name) || (raw !== written && context.servers() !== null)
  const tool = isKnown ? toolNamed(raw.name) : undefined
  const invalid = (title: string, reason: string, error: ErrorInfo | null = null): ReadCall => {
    return { kind: 'invalid', callId, title, reason: limited(reason), error }
  }
  if (raw.isCut === true) return invalid(name, say(context, 'call.cut'))
  if (tool === undefined) {
    const tools = directTools(context, false).toSorted().join(', ')
    return invalid(name, say(context, 'call.unknown-tool', { name, tools }))
  }
  if (raw.args.length > limitArgsChars) return invalid('', say(context, 'call.too-long', { name }))
  const read = readArguments(tool, raw.args, context.words)
  const title = tool.title(read.args)
  if (read.kind !== 'read') {
    const shown = {
      name,
      issues: read.issues,
      received: cutMiddle(harmless(raw.args), limitReceived, () => '…').text,
      schema: schemaLine(tool),
    }
    return invalid(title, say(context, `call.${read.kind}`, shown))
  }
  try {
    const prepared = await tool.prepare(read.args, { callId, context, files })
    const { conflicts } = read.args
    const isPrepared = prepared.kind === 'world' || prepared.kind === 'session'
    return isPrepared && typeof conflicts === 'string' ? { ...prepared, conflicts } : prepared
  } catch (error) {
    const { text, error: info } = refusalOf(error, context)
    return invalid(title, text, info)
  }
}
