import type { ToolName } from '../../shared/domain/session/tool-name.ts'
import type { FilePreview } from '../tools/prepared-call.ts'
import type { Verdict } from './judge.ts'
import type { CallAssessment } from './risk/call-assessment.ts'
import { pathsOf } from './risk/risk.ts'

const toolOf: Readonly<Record<FilePreview['action'], ToolName>> = {
  create: 'write_file',
  edit: 'edit',
  delete: 'delete_file',
  move: 'move_file',
}

/**
 * Returns staged changes file by file, each as a change by the tool that makes such changes, in its own folder: rules
 * are about these. A moved file also counts as one deleted and one created, since that is what is left in the end.
 */
export function partsOf(look: CallAssessment): CallAssessment[] {
  const { call } = look
  const files = call.facts.kind === 'change' ? call.facts.files : []
  return files.flatMap((file) => {
    const part = (tool: ToolName, paths: readonly string[]): CallAssessment => ({
      ...look,
      call: { ...call, facts: { kind: 'change', files: [file] } },
      subject: { kind: 'files', tool, paths },
    })
    const whole = part(toolOf[file.action], pathsOf(file))
    if (file.action !== 'move' || file.to === null) return [whole]
    return [whole, part('delete_file', [file.path]), part('write_file', [file.to])]
  })
}

/** Returns files that a command wrote into ignored folders, as changes. Only a rule on the folder allows them. */
export function ignoredParts(look: CallAssessment): CallAssessment[] {
  const { facts } = look.call
  const ignored = facts.kind === 'change' ? (facts.effects?.ignored ?? []) : []
  return ignored.map(({ top }) => ({
    ...look,
    subject: { kind: 'files', tool: 'write_file', paths: [`${top}/file`] },
  }))
}

/** Returns the verdict on all parts together: denied or asked about where any part is. */
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
