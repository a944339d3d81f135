import type { GateFile, RiskReason } from '../../shared/domain/gate.ts'
import { diffHunks } from '../../shared/text/hunks.ts'
import type { FilePreview, PreparedCall } from '../tools/prepared-call.ts'
import { type CommandLookDeps, lookAtCommand } from './command-look.ts'
import { patternOf } from './command-pattern.ts'
import { fileReasons, pathsOf } from './risk.ts'
import type { RuleSubject } from './rules.ts'

/**
 * What is known of a call before it is judged: facts alone.
 *
 * Shape: `isReadOnly` for reads and for commands that only read. `pattern`: what could be allowed of it for
 * good, if anything. `parts`: the simple commands of a line.
 */
export type CallLook = {
  call: PreparedCall
  subject: RuleSubject
  isReadOnly: boolean
  readsDeep: boolean
  reasons: readonly RiskReason[]
  files: readonly GateFile[]
  reads: readonly string[]
  parts: readonly string[]
  pattern: string | null
}

/** Finds out what a call is about; touches nothing. */
export async function lookAtCall(deps: CommandLookDeps, root: string, call: PreparedCall): Promise<CallLook> {
  const { facts, tool } = call
  const bare = { call, readsDeep: false, files: [], reads: [], parts: [], pattern: null }
  switch (facts.kind) {
    case 'read': {
      const secrets = facts.paths.filter((path) => deps.kinds.isSecret(path))
      return {
        ...bare,
        subject: { kind: 'files', tool, paths: facts.paths },
        isReadOnly: true,
        reads: facts.paths,
        reasons: secrets.map((path) => ({ code: 'secret', detail: path })),
      }
    }
    case 'change': {
      const paths = facts.files.flatMap(pathsOf)
      return {
        ...bare,
        subject: { kind: 'files', tool, paths },
        isReadOnly: false,
        files: facts.files.map(gateFile),
        reasons: fileReasons(facts.files, deps.kinds),
        pattern: folderPattern(paths),
      }
    }
    case 'command': {
      const look = await lookAtCommand(deps, root, { ...facts, isReadOnly: call.isReadOnly })
      const [layers, ...others] = look.toAllow ?? []
      const words = layers?.at(-1)
      const pattern = words === undefined || others.length > 0 ? null : patternOf(words, deps.lists)
      return { ...bare, ...look, subject: { kind: 'command', ...look }, pattern }
    }
  }
}

/** How a file would change. A file that is made or deleted is one hunk: it is taken whole or not at all. */
function gateFile({ path, to, action, oldText, newText, sizeBytes }: FilePreview): GateFile {
  const hunks = action === 'move' && oldText === newText ? [] : diffHunks(oldText ?? '', newText ?? '')
  return {
    path,
    to,
    action,
    addedLines: hunks.reduce((sum, { newLines }) => sum + newLines.length, 0),
    removedLines: hunks.reduce((sum, { oldLines }) => sum + oldLines.length, 0),
    hunks: hunks.length,
    sizeBytes,
  }
}

/** The folder that all of them are in, as deep as it goes, or the one file where that is the project itself. */
function folderPattern(paths: readonly string[]): string | null {
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(0, -1))
  const parting = first.findIndex((name, at) => others.some((folder) => folder[at] !== name))
  const shared = parting < 0 ? first : first.slice(0, parting)
  const place = shared.length > 0 ? shared.join('/') : paths.length === 1 ? (paths[0] ?? '') : ''
  // Such a name would be read as a pattern.
  if (place === '' || /[*?[\]{}\\]/.test(place)) return null
  return shared.length > 0 ? `${place}/**` : place
}
