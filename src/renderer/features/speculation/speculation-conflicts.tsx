import { useId, useState } from 'react'
import type { SpeculationConflict, SpeculationDecision } from '../../../shared/domain/session/speculation.ts'
import { useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ConflictFile } from './conflict-file.tsx'
import { type ConflictChoice, mergedFile, noChoice, openPlaces } from './conflict-merge.ts'

type SpeculationConflictsProps = {
  files: readonly SpeculationConflict[]
  onDecide: (decision: SpeculationDecision) => void
}

/** All files in conflict; nothing is written before each of them is decided. */
export function SpeculationConflicts({ files, onDecide }: SpeculationConflictsProps) {
  const { t } = useWords()
  const [choices, setChoices] = useState<Readonly<Record<string, ConflictChoice>>>({})
  const choiceOf = (file: SpeculationConflict) => choices[keyOf(file)] ?? noChoice
  const merged = files.flatMap((file) => mergedFile(file, choiceOf(file)) ?? [])
  const isWhole = merged.length === files.length
  const open = files.reduce((sum, file) => sum + openPlaces(file, choiceOf(file)), 0)
  const openId = useId()
  return (
    <>
      <div className="speculation-files">
        {files.map((file) => (
          <ConflictFile
            key={keyOf(file)}
            file={file}
            choice={choiceOf(file)}
            onChoose={(choice) => setChoices((before) => ({ ...before, [keyOf(file)]: choice }))}
          />
        ))}
      </div>
      <div className="row speculation-actions">
        <Button
          look="primary"
          disabled={!isWhole}
          aria-describedby={open > 0 ? openId : undefined}
          onClick={() => onDecide({ kind: 'merge', files: merged })}
        >
          {t('speculation.conflict.take')}
        </Button>
        <Button onClick={() => onDecide({ kind: 'rerun' })}>{t('speculation.rerun')}</Button>
        <Button look="quiet" onClick={() => onDecide({ kind: 'cancel' })}>
          {t('action.cancel')}
        </Button>
        {open > 0 && (
          <p id={openId} className="speculation-open">
            {t('speculation.conflict.open', { count: open })}
          </p>
        )}
      </div>
    </>
  )
}

/** A file that has changed again is decided anew. */
function keyOf({ path, currentHash }: SpeculationConflict): string {
  return `${currentHash} ${path}`
}
