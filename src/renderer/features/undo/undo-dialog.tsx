import './undo.css'
import { useEffect, useState } from 'react'
import { type UndoFile, type UndoPlace, UndoSide } from '../../../shared/domain/session/undo.ts'
import { openUndoPlaces, type UndoWhat } from '../../state/slices/session/undo-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pieces, Verbatim } from '../../ui/verbatim.tsx'
import { ConfirmDialog } from '../dialogs/dialog.tsx'

const choices: readonly UndoWhat[] = ['both', 'files', 'conversation']

/**
 * Takes back what happened from a turn on; says beforehand which files and messages that are, and asks about the
 * places that the assistant and the user both changed. Without a turn it takes the last undo of files back.
 */
export function UndoDialog({ turn }: { turn: number | null }) {
  const { t, errorText } = useWords()
  const { preview, sides, isBusy, error, loadPreview, undo, redo, clear } = useApp((state) => state.undo)
  const [chosen, setChosen] = useState<UndoWhat>('both')
  useEffect(() => {
    void loadPreview(turn)
    return clear
  }, [loadPreview, clear, turn])
  const what = turn === null ? 'files' : chosen
  const hasFiles = preview?.files.some((file) => file.problem === null && !file.isRemoved) ?? false
  const isFor = (choice: UndoWhat) => choice === 'conversation' || hasFiles || choice === 'both'
  const openPlaces = preview === null || what === 'conversation' ? 0 : openUndoPlaces(preview, sides)

  return (
    <ConfirmDialog
      title={t(turn === null ? 'undo.redo.title' : 'undo.title')}
      confirmLabel={t(turn === null ? 'undo.redo.go' : 'undo.go')}
      variant="primary"
      size="medium"
      isReady={preview !== null && !isBusy && openPlaces === 0 && (turn !== null || hasFiles)}
      lack={openPlaces > 0 ? t('undo.places.open', { count: openPlaces }) : ''}
      onConfirm={() => (turn === null ? redo() : undo(turn, what))}
    >
      <div className="undo">
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
        {preview === null && isBusy && <p className="dim late">{t('undo.loading')}</p>}
        {preview !== null && (
          <>
            {turn !== null && (
              <fieldset className="undo-what">
                <legend className="label">{t('undo.what')}</legend>
                {choices.map((choice) => (
                  <label key={choice} className="row">
                    <input
                      type="radio"
                      name="undo-what"
                      className="check"
                      disabled={!isFor(choice)}
                      checked={what === choice}
                      onChange={() => setChosen(choice)}
                    />
                    {t(`undo.what.${choice}`)}
                  </label>
                ))}
              </fieldset>
            )}
            {what !== 'conversation' && (
              <Commands lines={preview.commands} hasFiles={preview.files.length > 0} />
            )}
            {what !== 'conversation' && <Files />}
            {what !== 'files' && <p>{t('undo.messages', { count: preview.messages })}</p>}
          </>
        )}
      </div>
    </ConfirmDialog>
  )
}

/** Commands that ran and tools of MCP servers: undo does not know what they changed besides the files below. */
function Commands({ lines, hasFiles }: { lines: readonly string[]; hasFiles: boolean }) {
  const { t } = useWords()
  if (lines.length === 0) return null
  return (
    <Notice tone="warn">
      <p>{t(hasFiles ? 'undo.commands.besides' : 'undo.commands')}</p>
      <ul className="undo-commands">
        {lines.map((line) => (
          <li key={line}>
            <code>{line}</code>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function Files() {
  const { t } = useWords()
  const { preview, chooseAll } = useApp((state) => state.undo)
  if (preview === null) return null
  if (preview.files.length === 0)
    return <p className="dim">{t(preview.commands.length === 0 ? 'undo.noFiles' : 'undo.noFilesByTools')}</p>
  const hasPlaces = preview.files.some(({ places }) => places.length > 0)
  return (
    <section aria-label={t('undo.files')}>
      <h3 className="label">{t('undo.files')}</h3>
      {hasPlaces && (
        <div className="undo-asked">
          <p>{t('undo.places.lead')}</p>
          <div className="row">
            {UndoSide.options.map((side) => (
              <Button key={side} variant="quiet" onClick={() => chooseAll(side)}>
                {t(`undo.all.${side}`)}
              </Button>
            ))}
          </div>
        </div>
      )}
      <ul className="undo-files">
        {preview.files.map((file) => (
          // Two files may have had one path; they go to different ones.
          <UndoFileRow key={`${file.path}\n${file.to}\n${file.isRemoved}`} file={file} />
        ))}
      </ul>
    </section>
  )
}

/** Shows the effect of the undo on a file, and its places that wait for a decision. */
function UndoFileRow({ file }: { file: UndoFile }) {
  const { t } = useWords()
  const { sides, choose } = useApp((state) => state.undo)
  return (
    <li>
      <code>
        <Pieces text={file.path} />
      </code>
      <FileFate file={file} />
      {file.places.map((place, at) => (
        <Place
          key={place.index}
          place={place}
          isWhole={file.isWhole}
          label={t('undo.place', { path: file.path, number: at + 1 })}
          side={sides[file.path]?.[place.index] ?? null}
          onChoose={(side) => choose(file.path, place.index, side)}
        />
      ))}
    </li>
  )
}

function FileFate({ file }: { file: UndoFile }) {
  const { t, errorText } = useWords()
  const { path, to, isOccupied, isRemoved, keepsEdits, mode, problem, entry } = file
  if (problem !== null)
    return <span className="undo-left">{t('undo.problem', { reason: errorText(problem) })}</span>
  if (isRemoved) return <span className="dim">{t('undo.removedByUser')}</span>
  if (entry === 'folder')
    return <span className="dim">{t(to === null ? 'undo.entry.removeFolder' : 'undo.entry.folder')}</span>
  if (to === null) return <span className="dim">{t('undo.remove')}</span>
  if (isOccupied)
    return <span className="undo-left">{t(to === path ? 'undo.stays' : 'undo.renamed', { path: to })}</span>
  if (entry === 'link') return <span className="dim">{t('undo.entry.link')}</span>
  const text = keepsEdits ? t('undo.keepsEdits') : t('undo.restore')
  const parts = [
    text,
    ...(to === path ? [] : [t('undo.movedBack', { path: to })]),
    ...(mode === null ? [] : [t('undo.mode', { mode: mode.toString(8) })]),
  ]
  return <span className="dim">{parts.join(' · ')}</span>
}

type PlaceProps = {
  place: UndoPlace
  isWhole: boolean
  label: string
  side: UndoSide | null
  onChoose: (side: UndoSide) => void
}

function Place({ place, isWhole, label, side, onChoose }: PlaceProps) {
  const { t } = useWords()
  const options = isWhole ? (['current', 'former'] as const) : UndoSide.options
  return (
    <div className="column undo-place">
      {isWhole ? (
        <p className="dim">{t('undo.whole')}</p>
      ) : (
        <div className="undo-sides">
          {(['current', 'former'] as const).map((whose) => (
            <figure
              key={whose}
              className={side === null || side === whose || side === 'both' ? undefined : 'undo-side-out'}
            >
              <figcaption className="label">
                {t(`undo.side.${whose}`)}
                {whose === 'current' && ` · ${t('undo.line', { line: place.line })}`}
              </figcaption>
              <pre className="code">
                {place[whose] === '' ? <i>{t('undo.side.none')}</i> : <Verbatim text={place[whose]} />}
              </pre>
            </figure>
          ))}
        </div>
      )}
      <Segmented
        label={label}
        value={side ?? ''}
        options={options.map((value) => ({ value, label: t(`undo.choice.${value}`) }))}
        onChange={(next) => next !== '' && onChoose(next)}
      />
    </div>
  )
}
