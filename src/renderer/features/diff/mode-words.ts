import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'

/** Returns the words for the permissions that a file gets; none where they stay. */
export function modeWords(t: Translate, { mode }: Pick<ChangedFile, 'mode'>): string[] {
  if (mode === undefined) return []
  const key = (mode & anyExecute) === 0 ? 'gate.file.permissions' : 'gate.file.permissions.executable'
  return [t(key, { mode: mode.toString(8).padStart(3, '0') })]
}

/** The execute bits of owner, group and others. */
const anyExecute = 0o111
