import { z } from 'zod'
import { coreTools, ToolName, type ToolTraits, toolTraits } from '../../shared/domain/session/tool-name.ts'
import type { ToolDeclaration } from '../models/client/model-client.ts'
import type { CallSchemaOptions } from './create-toolbox.ts'
import { orElse, type Tool, type ToolContext } from './defining/tool.ts'
import type { ToolWords } from './defining/tool-words.ts'
import { allTools } from './definitions/all-tools.ts'
import { textOf } from './edits/respell-text.ts'

export type JsonSchema = Record<string, unknown>

/** Tools of ours that change files or run commands. */
export const changingTools = ToolName.options.filter((name) =>
  ['write', 'run'].includes(toolTraits[name].access),
)

/** Returns our tools that a model may call now: those of every session, and those that the user has switched on. */
export function offeredTools({ web, explorer }: Pick<ToolContext, 'web' | 'explorer'>): ToolName[] {
  const names = Object.keys(toolTraits) as ToolName[]
  const isOn = ({ access, asksModel }: ToolTraits): boolean =>
    (access === 'web' && web() !== null) || (asksModel === true && explorer() !== null)
  return names.filter((name) => toolTraits[name].isOptional !== true || isOn(toolTraits[name]))
}

/** Returns our tools that a model on the direct path may call now. */
export function directTools(
  context: Pick<ToolContext, 'web' | 'explorer'>,
  hasCommands: boolean,
): ToolName[] {
  const isDeclared = (name: ToolName): boolean => hasCommands || toolTraits[name].isLater !== true
  const direct = (Object.keys(toolTraits) as ToolName[]).filter((name) => toolTraits[name].isDirect === true)
  return [...offeredTools(context), ...direct].filter(isDeclared)
}

/** True where a result has named these tools: a command runs in the background, or its output was cut. */
export function namesCommandTools(results: readonly { role: string; text: string }[]): boolean {
  return results.some(({ role, text }) => role === 'tool' && namedCommand.test(text))
}

/** Matches a command's id as the results in both languages write it. The tool's name alone could stand in any file. */
const namedCommand = /command_id ?["「]cmd-/

/** Returns the tools of added servers, as they are declared to models. */
export function serverDeclarations({ servers }: Pick<ToolContext, 'servers'>): ToolDeclaration[] {
  const offered = servers()?.offered() ?? []
  return offered.map(({ callName, description, inputSchema }) => ({
    name: callName,
    description,
    parameters: inputSchema,
  }))
}

/** Returns the schema of a tool's arguments, without words. Shape: keys in the tool's own order. */
export function argsSchema(tool: Tool): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.args, { io: 'input' })
  return schema
}

/**
 * Returns the declarations of these tools, sorted by name; calls of the `checked` ones say what they conflict with.
 * They are short, since every prompt has them: bounds are left out where a call beyond them is refused, or cut to them.
 */
export function declareTools(
  words: ToolWords,
  names: readonly ToolName[] = coreTools,
  checked: readonly ToolName[] = [],
): ToolDeclaration[] {
  return [...names].sort().map((name) => {
    const parameters = described(argsSchema(allTools[name]), words.tools[name].parameters)
    return {
      name,
      description: words.tools[name].description,
      parameters: checked.includes(name) ? withConflicts(parameters) : parameters,
    }
  })
}

/**
 * Adds the argument `conflicts`, in which a call says what it breaks of goal and constraints. The prompt `direct` says
 * so once for all tools.
 */
function withConflicts(parameters: JsonSchema): JsonSchema {
  return {
    ...parameters,
    properties: { ...(parameters.properties as JsonSchema), conflicts: { type: 'string' } },
    required: [...(parameters.required as string[]), 'conflicts'],
  }
}

/** Returns the arguments of a tool in one line: `read_file {path: string, from?: integer, to?: integer}`. */
export function schemaLine(tool: Tool): string {
  return `${tool.name} ${typeText(short(argsSchema(tool)) as JsonSchema)}`
}

function typeText(schema: JsonSchema): string {
  const { type, properties, items, required = [] } = schema
  if (Array.isArray(schema.enum)) return schema.enum.join(' | ')
  if (type === 'array') return `[${typeText((items ?? {}) as JsonSchema)}, …]`
  if (type !== 'object') return String(type ?? 'any')
  const parts = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, part]) => `${name}${(required as string[]).includes(name) ? '' : '?'}: ${typeText(part)}`,
  )
  return `{${parts.join(', ')}}`
}

/**
 * Schema keywords that models do not need to make a call. Lists that must not be empty keep their bounds, since models
 * get those wrong; others are cut.
 */
const untold = ['additionalProperties', 'minLength', 'maxLength', 'minimum', 'maximum']

function described(schema: JsonSchema, words: Readonly<Record<string, string>>): JsonSchema {
  const copy = short(schema) as JsonSchema
  visit(copy, '', (at, part) => {
    const description = words[at]
    if (description === undefined) throw new Error(`tool-words: no words for the parameter ${at}`)
    if (description !== '') part.description = description
  })
  return copy
}

function short(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(short)
  if (typeof value !== 'object' || value === null) return value
  const { properties, anyOf, ...rest } = value as JsonSchema
  // Null is not declared: an argument that may be null can be left out instead.
  if (Array.isArray(anyOf)) return short({ ...rest, ...anyOf.find(({ type }) => type !== 'null') })
  const isCut = rest.minItems === undefined
  const kept = Object.entries(rest).filter(([key]) => !untold.includes(key) && !(isCut && key === 'maxItems'))
  const named = Object.entries((properties ?? {}) as JsonSchema).map(([name, part]) => [name, short(part)])
  return {
    ...Object.fromEntries(kept.map(([key, part]) => [key, short(part)])),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(named) }),
  }
}

function visit(schema: JsonSchema, path: string, see: (path: string, part: JsonSchema) => void): void {
  if (schema.type === 'array') visit(schema.items as JsonSchema, path, see)
  for (const [key, part] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    const at = path === '' ? key : `${path}.${key}`
    see(at, part)
    visit(part, at, see)
  }
}

const defaultMostCalls = 4
/** Above this many paths, arguments for paths are unconstrained, so that the grammar stays small. */
const limitPaths = 50
/** The same for lines: of one file, and of all files together. Units: lines; UTF-16 code units. */
const limitLines = 60
const limitLineChars = 4_000
/** Longer bounds of free strings are dropped: counting that far would make up most of the grammar. */
const longestBound = 200

/**
 * Returns the schema of `{calls: [{tool, args}]}` as `grammarOf` takes it: fixed order of keys, and only arguments that
 * a tool leaves optional are optional.
 *
 * In a small folder a path is one of those that exist, and an edit's old text is a line that occurs once in a file
 * that was read. In a larger one both are free, and the tool says what does not fit.
 */
export async function callSchema(context: ToolContext, options: CallSchemaOptions = {}): Promise<JsonSchema> {
  const offered = offeredTools(context)
  const names = (options.tools ?? offered).filter((name) => offered.includes(name)).sort()
  const paths = await knownPaths(context)
  const edits = names.includes('edit') ? await editChoices(context) : null
  const choices = names.flatMap((name): JsonSchema[] => {
    const args = bounded(argsSchema(allTools[name]))
    const call = (schema: JsonSchema): JsonSchema => objectOf({ tool: { const: name }, args: schema })
    if (name === 'edit' && edits !== null) return edits.map((edit) => call(editOf(args, edit)))
    const places = Object.entries(toolTraits[name].paths).filter(([, kind]) => kind === 'file')
    if (places.length === 0 || paths === null) return [call(args)]
    const chosen = Object.fromEntries(places.map(([arg]) => [arg, { enum: paths }]))
    return paths.length === 0 ? [] : [call(withProperties(args, chosen))]
  })
  const most = choices.length === 0 ? 0 : (options.most ?? defaultMostCalls)
  const items = choices.length === 1 && choices[0] !== undefined ? choices[0] : { anyOf: choices }
  return objectOf({ calls: { type: 'array', items, maxItems: most } })
}

/** Returns all paths; null where there are too many, they are not known, or the session has several folders. */
async function knownPaths({ operations, addedFolders }: ToolContext): Promise<string[] | null> {
  if (addedFolders().length > 0) return null
  const { signal } = new AbortController()
  // Null: the folder is gone or closed, and the tool itself says so.
  const found = await orElse(() => operations.glob('**', limitPaths, signal), null)
  return found === null || found.isCut ? null : found.paths
}

/** A file that may be edited. Shape: `lines` where the old text must be one of them. */
type EditChoice = { path: string; lines?: string[] }

/** Returns the arguments of an edit of one file. */
function editOf(args: JsonSchema, { path, lines }: EditChoice): JsonSchema {
  const { edits } = args.properties as { edits: JsonSchema }
  const items = edits.items as JsonSchema
  const { new_text = {} } = items.properties as Record<string, JsonSchema>
  // Each of these lines occurs once: a second edit of it, or one of all its places, would find nothing.
  const single = lines && { items: objectOf({ old_text: { enum: lines }, new_text }), maxItems: 1 }
  return withProperties(args, { path: { const: path }, edits: { ...edits, ...single } })
}

/** Returns a choice for each file that was read: its path, and its lines where there are few. Null: too many files. */
async function editChoices(context: ToolContext): Promise<EditChoice[] | null> {
  const files = context.ledger.filesInUse()
  if (files.length > limitPaths) return null
  const choices: EditChoice[] = []
  let room = limitLineChars
  for (const { path } of files) {
    const lines = await onlyLines(context, path)
    if (lines === null) continue
    const chars = lines.reduce((sum, line) => sum + line.length, 0)
    const isListed = lines.length > 0 && lines.length <= limitLines && chars <= room
    if (isListed) room -= chars
    choices.push({ path, ...(isListed ? { lines } : {}) })
  }
  return choices
}

/** Returns lines that occur once in a file, so that an edit of one is unambiguous; null where it cannot be edited. */
async function onlyLines(context: ToolContext, path: string): Promise<string[] | null> {
  const lines = async (): Promise<string[] | null> => {
    const { bytes, hash } = await context.operations.read(path, 1_000_000)
    if (!context.ledger.knows(path, hash)) return null
    const text = textOf(bytes, path)
    const all = text.split('\n')
    if (all.length > limitLines * 2) return []
    return all.filter((line) => line.trim() !== '' && text.indexOf(line) === text.lastIndexOf(line))
  }
  return orElse(lines, null)
}

function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function withProperties(schema: JsonSchema, changed: Record<string, JsonSchema>): JsonSchema {
  return { ...schema, properties: { ...(schema.properties as Record<string, JsonSchema>), ...changed } }
}

/** Returns the schema without length bounds that need a large grammar. */
function bounded(schema: JsonSchema): JsonSchema {
  const copy = structuredClone(schema)
  const loosen = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    if ('maxLength' in part && typeof part.maxLength === 'number' && part.maxLength > longestBound)
      delete part.maxLength
    for (const inner of Object.values(part)) loosen(inner)
  }
  loosen(copy)
  return copy
}
