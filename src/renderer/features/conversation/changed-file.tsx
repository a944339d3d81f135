import { memo, useEffect, useState } from 'react'
import { type LoadedTurnFile, turnKey } from '../../state/slices/session/undo-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { FileDiff, LoadError, modeWords } from '../diff/file-diff.tsx'
import { changedFiles, pathNow, type Row } from './rows.ts'

type ChangedFileRowProps = Omit<Extract<Row, { kind: 'file' }>, 'key' | 'kind'>

/** A file that a finished turn has changed, in one line; it opens to one diff, however many edits there were. */
export const ChangedFileRow = memo(function ChangedFileRow(props: ChangedFileRowProps) {
  const { turn, path, calls, isAllowed, changes } = props
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const { file, error, load } = useTurnFile(turn, changes, path, isOpen || calls.length > 1)
  const edits = calls.flatMap((call) => changedFiles(call).filter((one) => pathNow(one) === path))
  const lines = countedLines(file) ?? {
    added: edits.reduce((sum, { addedLines }) => sum + addedLines, 0),
    removed: edits.reduce((sum, { removedLines }) => sum + removedLines, 0),
  }
  const declined = calls.reduce((sum, { view }) => sum + (view?.kind === 'change' ? view.refusedHunks : 0), 0)
  const entry = edits.at(-1)?.entry
  const name = t(`conversation.tool.${toolNames[actionOf(edits)]}`)
  const summary = [
    isAllowed && t('gate.settled.approved'),
    edits.length > 1 && t('conversation.file.edits', { count: edits.length }),
    entry !== undefined && t(`gate.file.entry.${entry}`),
    entry !== 'folder' && t('gate.file.lines', lines),
    ...modeWords(t, { mode: edits.findLast(({ mode }) => mode !== undefined)?.mode }),
    declined > 0 && t('conversation.call.refusedHunks', { count: declined }),
  ]
  return (
    <article className="call-card" aria-label={`${name} ${path}`}>
      <button type="button" className="call-line" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className={isOpen ? 'call-fold call-fold-open' : 'call-fold'}>
          <Icon name="chevron" size={12} />
        </span>
        <span className="call-name">{name}</span>
        <b className="grow clip">
          <Pieces text={path} />
        </b>
        <span className="call-summary">{summary.filter(Boolean).join(' · ')}</span>
      </button>
      {isOpen && entry === 'folder' && <p className="call-note">{t('gate.file.emptyFolder')}</p>}
      {isOpen && error && <LoadError error={error} onAgain={load} />}
      {isOpen && !error && !file && <p className="call-note late">{t('gate.file.loading')}</p>}
      {isOpen && file && entry !== 'folder' && <TurnFileDiff file={file} />}
    </article>
  )
})

function TurnFileDiff({ file }: { file: LoadedTurnFile }) {
  const { t } = useWords()
  if (file.hunks === null) return <p className="call-note">{t('conversation.file.noDiff')}</p>
  if (file.hunks.length === 0) return <p className="call-note">{t('gate.file.noPlaces')}</p>
  return (
    <div className="call-diff">
      <FileDiff
        label={t('gate.file.toggle', { path: file.path })}
        path={file.path}
        oldPath={file.from ?? file.path}
        oldText={file.texts?.old ?? null}
        newText={file.texts?.new ?? null}
        hunks={file.hunks}
      />
    </div>
  )
}

/** Returns what a turn did to all of its files; loaded where `isWanted`. */
export function useTurnFiles(turn: number, changes: number, isWanted: boolean) {
  const loadFiles = useApp((app) => app.turnFiles.load)
  const state = useApp(({ conversation, turnFiles }) =>
    conversation.current
      ? turnFiles.turns[turnKey(conversation.current.sessionId, turn, changes)]
      : undefined,
  )
  const load = () => void loadFiles(turn, changes)
  useEffect(() => {
    if (isWanted) void loadFiles(turn, changes)
  }, [loadFiles, turn, changes, isWanted])
  return { files: state?.files ?? null, error: state?.error ?? null, load }
}

function useTurnFile(turn: number, changes: number, path: string, isWanted: boolean) {
  const { files, error, load } = useTurnFiles(turn, changes, isWanted)
  const lost: LoadedTurnFile = { path, from: null, texts: null, hunks: null }
  const file = files && (files.find((one) => one.path === path) ?? lost)
  return { file, error, load }
}

/** Counts the lines that differ in the end; null where the texts are not known. */
export function countedLines(file: LoadedTurnFile | null): { added: number; removed: number } | null {
  if (!file?.hunks) return null
  return {
    added: file.hunks.reduce((sum, { newLines }) => sum + newLines.length, 0),
    removed: file.hunks.reduce((sum, { oldLines }) => sum + oldLines.length, 0),
  }
}

type Action = ReturnType<typeof changedFiles>[number]['action']

const toolNames = { create: 'write_file', edit: 'edit', delete: 'delete_file', move: 'move_file' } as const

/** Returns what a turn did to a file in the end: a file that was created and then edited counts as created. */
function actionOf(edits: readonly { action: Action }[]): Action {
  const last = edits.at(-1)?.action ?? 'edit'
  if (last === 'delete') return 'delete'
  return edits.find(({ action }) => action === 'create' || action === 'move')?.action ?? last
}
