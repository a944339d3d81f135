import type { ToolName } from '../../shared/domain/tool-name.ts'
import type { FilePreview } from '../tools/prepared-call.ts'
import type { CallLook } from './call-look.ts'
import type { Verdict } from './judge.ts'
import { pathsOf } from './risk.ts'

const toolOf: Readonly<Record<FilePreview['action'], ToolName>> = {
  create: 'write_file',
  edit: 'edit',
  delete: 'delete_file',
  move: 'move_file',
}

/**
 * Staged changes file by file, each as a change by the tool that makes the like of it, in its own folder: these are what
 * rules are about.
 */
export function partsOf(look: CallLook): CallLook[] {
  const { call } = look
  const files = call.facts.kind === 'change' ? call.facts.files : []
  return files.map((file) => ({
    ...look,
    call: { ...call, facts: { kind: 'change', files: [file] } },
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
