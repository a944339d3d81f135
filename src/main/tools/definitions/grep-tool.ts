import { z } from 'zod'
import { harmless } from '../defining/result-text.ts'
import {
  defineTool,
  orElse,
  pathArg,
  say,
  type ToolContext,
  ToolRefusal,
  worldCall,
} from '../defining/tool.ts'
import { samePlace } from '../edits/known-file.ts'
import { fittingLines } from '../edits/numbered-lines.ts'
import type { CallResult } from '../prepared-call.ts'
import type { GrepMatch, GrepQuery } from '../tool-operations.ts'
import { globArg } from './glob-tool.ts'

const limitMatches = 500
/** Number of files of one search that the model may edit without reading them; it must read the others first. */
const limitNotedFiles = 50
/** Larger files must be read before an edit. Units: bytes. */
const limitNotedBytes = 1_000_000
/** Maximum length of a pattern, which becomes an argument of a program. Units: UTF-16 code units. */
const limitPatternChars = 10_000

export const grepTool = defineTool({
  name: 'grep',
  args: z.strictObject({
    pattern: z.string().min(1).max(limitPatternChars),
    path: pathArg.optional(),
    glob: globArg.optional(),
    literal: z.boolean().optional(),
    ignore_case: z.boolean().optional(),
    context: z.int().min(0).max(9).optional(),
  }),
  about: 'pattern',
  async prepare(args, site) {
    const { path } = await site.context.operations.locate(args.path ?? '.')
    const query: GrepQuery = {
      pattern: args.pattern,
      isLiteral: args.literal ?? false,
      ignoreCase: args.ignore_case ?? false,
      path,
      glob: args.glob ?? null,
      contextLines: args.context ?? 0,
      limit: limitMatches,
    }
    return worldCall(site, {
      facts: { kind: 'read', paths: [path] },
      what: query,
      run: ({ signal }) => search(site.context, query, signal),
    })
  },
})

/**
 * Searches files. Files that a search must not show without consent are left out, unless the call (and its consent)
 * names the file. The result does not mention them: which patterns match would reveal their content.
 */
async function search(context: ToolContext, query: GrepQuery, signal: AbortSignal): Promise<CallResult> {
  await samePlace(context, query.path)
  const isFree = await context.searchFilter()
  const isSearched = (path: string): boolean => path === query.path || isFree(path)
  const finding = await context.operations.grep(query, signal, isSearched)
  if (finding.problem !== null)
    throw new ToolRefusal('grep.bad-pattern', { problem: harmless(finding.problem) })
  const matches = await freeMatches(context, query, finding.matches)
  const hits = matches.filter((match) => !match.isContext)
  const files = new Set(hits.map(({ path }) => path)).size
  const lines: string[] = []
  let isCut = finding.isCut
  if (hits.length === 0) lines.push(say(context, 'grep.none', { pattern: harmless(query.pattern) }))
  else {
    lines.push(say(context, 'grep.head', { count: hits.length, files }))
    const all = matchLines(matches)
    const { text, shown } = fittingLines(all, context.resultBytes() - 1_500)
    lines.push(text)
    await noteFound(context, shownFiles(matches, shown))
    isCut ||= shown < all.length
    if (isCut) {
      const total = finding.isCut ? `${hits.length}+` : hits.length
      lines.push(
        say(context, 'cut.list', {
          shown: all.slice(0, shown).filter((line) => /^ {2}\d+: /.test(line)).length,
          total,
        }),
      )
    }
  }
  return { isOk: true, text: lines.join('\n'), view: { kind: 'matches', count: hits.length, files, isCut } }
}

/** Removes the matches in files that are secrets under another name. */
async function freeMatches(
  context: ToolContext,
  query: GrepQuery,
  matches: readonly GrepMatch[],
): Promise<GrepMatch[]> {
  const isSecret = context.secretFiles()
  const secrets = new Set<string>()
  for (const path of new Set(matches.map((match) => match.path))) {
    if (path !== query.path && (await isSecret(path))) secrets.add(path)
  }
  return matches.filter(({ path }) => !secrets.has(path))
}

/** Returns each file's name, then its lines: `12:` for a match, `13-` for a line of its context. */
function matchLines(matches: readonly GrepMatch[]): string[] {
  const lines: string[] = []
  let path: string | null = null
  for (const match of matches) {
    if (match.path !== path) lines.push(harmless(match.path))
    path = match.path
    lines.push(`  ${match.line}${match.isContext ? '-' : ':'} ${harmless(match.text).replaceAll('\n', ' ')}`)
  }
  return lines
}

/** Returns the files that have a line among the first `shown` lines of `matchLines`. */
function shownFiles(matches: readonly GrepMatch[], shown: number): string[] {
  const paths = new Set<string>()
  let lines = 0
  for (const { path } of matches) {
    lines += paths.has(path) ? 1 : 2
    if (lines > shown) break
    paths.add(path)
  }
  return [...paths].slice(0, limitNotedFiles)
}

/** Lets the model edit files that were found: it has seen the lines, and an edit quotes them as they are. */
async function noteFound({ operations, ledger }: ToolContext, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    // Null: gone or grown meanwhile, and an edit will say so.
    const found = await orElse(() => operations.read(path, limitNotedBytes), null)
    if (found?.path === path) ledger.noteFound(path, found.hash)
  }
}
