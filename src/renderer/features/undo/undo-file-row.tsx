import { type UndoFile, type UndoPlace, UndoSide } from '../../../shared/domain/session/undo.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Pieces, Verbatim } from '../../ui/verbatim.tsx'

/** What undo does to a file, and the places of it that are to be decided. */
export function UndoFileRow({ file }: { file: UndoFile }) {
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
    <div className="undo-place">
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
