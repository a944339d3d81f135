import { useMemo } from 'react'
import { diffHunks } from '../../../../shared/text/difference/hunks.ts'
import { useCodeColours } from '../../../state/code-colours.ts'
import { useHunkWords } from '../../../state/hunk-words.ts'
import type { SpeculationPreview } from '../../../state/slices/session/speculation-slice.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { HunkDiff } from '../../../ui/diff/hunk-diff.tsx'

/** The changes of one file, which can only be looked at. */
export function PreviewDiff({ file }: { file: SpeculationPreview['files'][number] }) {
  const { t } = useWords()
  const { path, oldText, newText } = file
  const layout = useApp((state) => state.gates.layout)
  const hunks = useMemo(() => diffHunks(oldText ?? '', newText ?? ''), [oldText, newText])
  const oldColours = useCodeColours(oldText, path)
  const newColours = useCodeColours(newText, path)
  const words = useHunkWords(t('gate.file.toggle', { path }))
  if (hunks.length === 0) return <p className="dim">{t('gate.file.noPlaces')}</p>
  return (
    <HunkDiff
      hunks={hunks}
      newText={newText ?? ''}
      layout={layout}
      oldColours={oldColours}
      newColours={newColours}
      words={words}
    />
  )
}
