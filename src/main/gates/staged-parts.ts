import type { GateFile } from '../../shared/domain/gate.ts'
import type { ToolName } from '../../shared/domain/tool-name.ts'
import type { CallLook } from './call-look.ts'
import type { Verdict } from './judge.ts'
import { pathsOf } from './risk.ts'

const toolOf: Readonly<Record<GateFile['action'], ToolName>> = {
  create: 'write_file',
  edit: 'edit',
  delete: 'delete_file',
  move: 'move_file',
}

/** Staged changes file by file, each as a change by the tool that makes the like of it: a rule is about tools. */
export function partsOf(look: CallLook): CallLook[] {
  return look.files.map((file) => ({
    ...look,
    subject: { kind: 'files', tool: toolOf[file.action], paths: pathsOf(file) },
  }))
}

/** What holds for all of it: it is denied or asked about where any part is. */
export function wholeVerdict(parts: readonly Verdict[]): Verdict {
  const names = new Set<string>()
  let by: Extract<Verdict, { kind: 'grant' }>['by'] = 'rule'
  for (const part of parts) {
    if (part.kind !== 'grant') continue
    names.add(part.name)
    if (part.by !== 'rule') by = part.by
  }
  const refused = parts.find(({ kind }) => kind === 'deny') ?? parts.find(({ kind }) => kind === 'ask')
  return refused ?? { kind: 'grant', by, name: [...names].join(', ') }
}
