import { useEffect } from 'react'
import type { GateCall, GateFile, GateView } from '../../../shared/domain/session/gate.ts'
import { sizeText } from '../../../shared/i18n/translate.ts'
import {
  diffKey,
  type GateChoices,
  type LoadedDiff,
  placeKey,
} from '../../state/slices/session/gates-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { FoldedFile } from '../../ui/diff/folded-file.tsx'
import { Notice } from '../../ui/notice.tsx'
import { FileDiff } from '../diff/file-diff.tsx'
import { modeWords } from '../diff/mode-words.ts'

type GateFileProps = {
  gate: GateView
  call: GateCall
  file: GateFile
  choices: GateChoices
  isFirst: boolean
}

/** Larger files stay closed until the user opens them. */
const largeBytes = 1_000_000

export function isLargeFile({ sizeBytes }: GateFile): boolean {
  return sizeBytes > largeBytes
}

/** A file that would change: what becomes of it, and the diff with a choice at each place. */
export function GateFileSection({ gate, call, file, choices, isFirst }: GateFileProps) {
  const { t, language } = useWords()
  const isLarge = isLargeFile(file)
  const isModeAlone = file.mode !== undefined && file.hunks === 0
  return (
    <FoldedFile
      path={file.to === null ? file.path : `${file.path} → ${file.to}`}
      facts={[
        t(`gate.file.${file.action}`),
        ...(file.entry === undefined ? [] : [t(`gate.file.entry.${file.entry}`)]),
        ...(file.entry === 'folder' || isModeAlone
          ? []
          : [
              t('gate.file.lines', { added: file.addedLines, removed: file.removedLines }),
              t('gate.file.places', { count: file.hunks }),
            ]),
        ...modeWords(t, file),
      ]}
      isOpenAtFirst={isFirst && !isLarge}
      closedNote={
        isLarge && (
          <p className="gate-note">{t('gate.file.large', { size: sizeText(language, file.sizeBytes) })}</p>
        )
      }
    >
      {file.entry === 'folder' ? (
        <p className="gate-note">{t('gate.file.emptyFolder')}</p>
      ) : (
        <CallFileDiff gate={gate} call={call} file={file} choices={choices} />
      )}
    </FoldedFile>
  )
}

type CallFileProps = Omit<GateFileProps, 'isFirst'>

function CallFileDiff({ gate, call, file, choices }: CallFileProps) {
  const { t, errorText } = useWords()
  const state = useApp((app) => app.gates.diffs[diffKey(gate, call, file.path)])
  const loadDiff = useApp((app) => app.gates.loadDiff)
  useEffect(() => void loadDiff(gate, call, file.path), [loadDiff, gate, call, file.path])
  if (state?.error) {
    return (
      <Notice
        tone="bad"
        actions={<Button onClick={() => void loadDiff(gate, call, file.path)}>{t('action.tryAgain')}</Button>}
      >
        {errorText(state.error)}
      </Notice>
    )
  }
  if (!state?.diff) return <p className="gate-note late">{t('gate.file.loading')}</p>
  return <LoadedFileDiff gate={gate} call={call} file={file} choices={choices} diff={state.diff} />
}

function LoadedFileDiff({ gate, call, file, choices, diff }: CallFileProps & { diff: LoadedDiff }) {
  const { t } = useWords()
  const refuseHunks = useApp((app) => app.gates.refuseHunks)
  const place = placeKey(call.callId, file.path)
  if (diff.hunks.length === 0)
    return <p className="gate-note">{t(file.isOpaque ? 'gate.file.opaque' : 'gate.file.noPlaces')}</p>
  return (
    <FileDiff
      label={t('gate.file.toggle', { path: file.path })}
      path={file.to ?? file.path}
      oldPath={file.path}
      oldText={diff.oldText}
      newText={diff.newText}
      hunks={diff.hunks}
      choice={{
        refused: choices.refused[place] ?? [],
        onChange: (refused) => refuseHunks(gate.gateId, place, refused),
      }}
    />
  )
}
