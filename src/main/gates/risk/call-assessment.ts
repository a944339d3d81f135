import type { AddedFolder } from '../../../shared/domain/app/added-folder.ts'
import type { GateFile, RiskReason } from '../../../shared/domain/session/gate.ts'
import { toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { diffHunks } from '../../../shared/text/difference/hunks.ts'
import { addedFolderOf, isAbsolutePath, pathBelow, pathIn } from '../../tools/defining/root-path.ts'
import { changedFile } from '../../tools/edits/changed-file.ts'
import type { CallFacts, EffectFacts, FilePreview, PreparedCall } from '../../tools/prepared-call.ts'
import { patternOf } from '../rules/command-pattern.ts'
import type { RuleSubject } from '../rules/rules.ts'
import { assessCommand, type CommandAssessmentDeps } from './command-assessment.ts'
import { secretFiles } from './folder-assessment.ts'
import { fileReasons, pathsOf } from './risk.ts'

/** Maximum number of ignored folders for which one button saves rules, since its label names each of them. */
const limitIgnored = 8

/**
 * The facts about a call before it is judged.
 *
 * Shape: `isReadOnly` for reads and for commands that only read. `patterns`: those that could be allowed for good, if
 * any. `parts`: the simple commands of a line. `isStaged`: the changes were made in a copy or a speculation and are
 * only applied.
 */
export type CallAssessment = {
  call: PreparedCall
  subject: RuleSubject
  isReadOnly: boolean
  readsDeep: boolean
  reasons: readonly RiskReason[]
  files: readonly GateFile[]
  reads: readonly string[]
  parts: readonly string[]
  patterns: readonly string[]
  isStaged?: true
}

/**
 * Returns the folder of a session that a call is about: one that was added, or null for the session's own.
 *
 * Where a path lies in none of them, the call is judged as in the session's own, and always asked about.
 */
export function homeOf({ facts }: PreparedCall, added: readonly string[]): string | null {
  return addedFolderOf(added, firstPath(facts) ?? '') ?? null
}

function firstPath(facts: CallFacts): string | undefined {
  switch (facts.kind) {
    case 'command':
      return facts.folder
    case 'read':
      return facts.paths[0]
    case 'change':
      return facts.files[0]?.path
    case 'outside':
      return undefined
  }
}

/** Finds out what a call is about; touches nothing. `added`: where the session works besides `root`. */
export async function assessCall(
  deps: CommandAssessmentDeps,
  root: string,
  call: PreparedCall,
  added: readonly AddedFolder[] = [],
): Promise<CallAssessment> {
  const { facts, tool } = call
  const folders = added.map(({ path }) => path)
  const strays = (paths: readonly string[]): RiskReason[] =>
    paths
      .filter((path) => isAbsolutePath(path) && addedFolderOf(folders, path) === undefined)
      .map((path) => ({ code: 'outside', detail: path }))
  const bare = { call, readsDeep: false, files: [], reads: [], parts: [], patterns: [] }
  switch (facts.kind) {
    case 'read': {
      const isSecret = secretFiles(deps.disk, deps.kinds, root)
      const secrets: string[] = []
      for (const path of facts.paths) if (await isSecret(path)) secrets.push(path)
      return {
        ...bare,
        subject: { kind: 'files', tool, paths: facts.paths },
        isReadOnly: true,
        reads: facts.paths,
        reasons: [
          ...secrets.map((path): RiskReason => ({ code: 'secret', detail: path })),
          ...strays(facts.paths),
        ],
      }
    }
    case 'change': {
      const paths = facts.files.flatMap(pathsOf)
      return {
        ...bare,
        subject: { kind: 'files', tool, paths },
        isReadOnly: false,
        files: facts.files.map(gateFile),
        reasons: [
          ...fileReasons(facts.files, deps.kinds),
          ...strays(paths),
          ...ignoredReasons(facts.effects?.ignored ?? []),
        ],
        patterns:
          facts.effects === undefined
            ? folderPatterns(paths, homeOf(call, folders))
            : ignoredPatterns(facts.effects),
      }
    }
    case 'outside':
      return {
        ...bare,
        subject: {
          kind: 'outside',
          tool,
          place: facts.place,
          ...(facts.declared !== undefined && { declared: facts.declared }),
        },
        isReadOnly: toolTraits[tool].access === 'web',
        reasons: [{ code: toolTraits[tool].access === 'web' ? 'site' : 'service', detail: facts.place }],
        patterns: [facts.place],
      }
    case 'command': {
      // For commands, an added folder that is not trusted lies outside.
      const reach = added.filter(({ isTrusted }) => isTrusted).map(({ path }) => path)
      const command = await assessCommand(deps, root, { ...facts, isReadOnly: call.isReadOnly }, reach)
      const printed = (facts.secrets ?? []).map((detail): RiskReason => ({ code: 'secret', detail }))
      const [layers, ...others] = command.toAllow ?? []
      const words = layers?.at(-1)
      const pattern = words === undefined || others.length > 0 ? null : patternOf(words, deps.lists)
      return {
        ...bare,
        ...command,
        reasons: [...command.reasons, ...printed],
        subject: { kind: 'command', ...command },
        patterns: pattern === null ? [] : [pattern],
      }
    }
  }
}

/** Returns how a file would change. A file that is made or deleted is one hunk: it is taken whole or not at all. */
function gateFile(preview: FilePreview): GateFile {
  const hunks = diffHunks(preview.oldText ?? '', preview.newText ?? '')
  return { ...changedFile(preview, hunks), hunks: hunks.length, sizeBytes: preview.sizeBytes }
}

function ignoredReasons(ignored: EffectFacts['ignored']): RiskReason[] {
  return ignored.flatMap(({ top, leadsOut }): RiskReason[] => [
    { code: 'ignored-folder', detail: top },
    ...(leadsOut ? [{ code: 'link-outside', detail: top } as const] : []),
  ])
}

/** Returns a pattern for each ignored folder that a command changed, and none for its other files. */
function ignoredPatterns({ ignored }: EffectFacts): string[] {
  if (ignored.length > limitIgnored || ignored.some(({ top }) => isReadAsPattern(top))) return []
  return ignored.map(({ top }) => `${top}/**`)
}

function isReadAsPattern(name: string): boolean {
  return /[*?[\]{}\\]/.test(name)
}

/**
 * Returns the pattern of the deepest folder that holds all paths, or the one file where that folder is the project.
 *
 * Shape: at most one, absolute in an added folder, `home`.
 */
function folderPatterns(paths: readonly string[], home: string | null): string[] {
  const below = home === null ? paths : paths.flatMap((path) => pathBelow(home, path) ?? [])
  const [first = [], ...others] = below.map((path) => path.split('/').slice(0, -1))
  const parting = first.findIndex((name, at) => others.some((folder) => folder[at] !== name))
  const shared = parting < 0 ? first : first.slice(0, parting)
  const inside = shared.length > 0 ? shared.join('/') : below.length === 1 ? (below[0] ?? '') : ''
  if (inside === '') return []
  const place = home === null ? inside : pathIn(home, inside)
  if (isReadAsPattern(place)) return []
  return [shared.length > 0 ? `${place}/**` : place]
}
