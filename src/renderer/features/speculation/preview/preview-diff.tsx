import { useMemo } from 'react'
import { diffHunks } from '../../../../shared/text/difference/hunks.ts'
import type { SpeculationPreview } from '../../../state/slices/session/speculation-slice.ts'
import { useWords } from '../../../state/store-context.tsx'
import { FileDiff } from '../../diff/file-diff.tsx'

/** The changes of one file, which can only be looked at. */
export function PreviewDiff({ file }: { file: SpeculationPreview['files'][number] }) {
  const { t } = useWords()
  const { path, oldText, newText, isOpaque } = file
  const hunks = useMemo(() => diffHunks(oldText ?? '', newText ?? ''), [oldText, newText])
  if (hunks.length === 0)
    return <p className="dim">{t(isOpaque ? 'gate.file.opaque' : 'gate.file.noPlaces')}</p>
  const label = t('gate.file.toggle', { path })
  return <FileDiff label={label} path={path} oldText={oldText} newText={newText} hunks={hunks} />
}
