import { useId, useState } from 'react'
import type { SpeculationConflict, SpeculationDecision } from '../../../shared/domain/session/speculation.ts'
import type { Side } from '../../../shared/text/difference/three-way.ts'
import { useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { optionsOf } from '../../ui/fields/choice-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Pieces, Verbatim } from '../../ui/verbatim.tsx'
import {
  type ConflictChoice,
  type ConflictPlace,
  chunksOf,
  conflictPlaces,
  mergedFile,
  mustStay,
  type NumberedLines,
  noChoice,
  openPlaces,
} from './conflict-merge.ts'

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
      <div className="column speculation-files">
        {files.map((file) => (
          <ConflictFile
            key={keyOf(file)}
            file={file}
            choice={choiceOf(file)}
            onChoose={(choice) => setChoices((before) => ({ ...before, [keyOf(file)]: choice }))}
          />
        ))}
      </div>
      <div className="row wrap speculation-actions">
        <Button
          variant="primary"
          disabled={!isWhole}
          aria-describedby={open > 0 ? openId : undefined}
          onClick={() => onDecide({ kind: 'merge', files: merged })}
        >
          {t('speculation.conflict.take')}
        </Button>
        <Button onClick={() => onDecide({ kind: 'rerun' })}>{t('speculation.rerun')}</Button>
        <Button variant="quiet" onClick={() => onDecide({ kind: 'cancel' })}>
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

/** Returns a file's key with its present content: a file that changed again is decided anew. */
function keyOf({ path, currentHash }: SpeculationConflict): string {
  return `${currentHash} ${path}`
}

type ConflictFileProps = {
  file: SpeculationConflict
  choice: ConflictChoice
  onChoose: (choice: ConflictChoice) => void
}

/** A file that somebody else changed meanwhile: each place of it, with the choice of whose lines to keep. */
function ConflictFile({ file, choice, onChoose }: ConflictFileProps) {
  const { t } = useWords()
  const chunks = chunksOf(file)
  const places = chunks === null ? undefined : conflictPlaces(chunks)
  return (
    <section className="column speculation-conflict" aria-label={file.path}>
      <p>
        <code>
          <Pieces text={file.path} />
        </code>{' '}
        <span className="dim">{t(`speculation.conflict.${file.why}`)}</span>
      </p>
      {places?.map((place, at) => (
        <Place
          key={place.index}
          place={place}
          label={t('speculation.conflict.place', { path: file.path, number: at + 1 })}
          side={choice.sides.get(place.index) ?? null}
          onChoose={(side) => onChoose({ ...choice, sides: new Map([...choice.sides, [place.index, side]]) })}
        />
      ))}
      {places?.length === 0 && <p className="dim">{t('speculation.conflict.apart')}</p>}
      {mustStay(file) && <p className="dim">{t('speculation.conflict.stays')}</p>}
      {chunks === null && !mustStay(file) && <WholeSides file={file} chosen={choice.whole} />}
      {chunks === null && !mustStay(file) && (
        <div className="row">
          <span className="dim grow">{t('speculation.conflict.whole')}</span>
          <Segmented
            label={t('speculation.conflict.place', { path: file.path, number: 1 })}
            value={choice.whole ?? ''}
            options={[
              { value: 'keep', label: t('speculation.side.current') },
              { value: 'speculated', label: t('speculation.side.speculated') },
            ]}
            onChange={(whole) => onChoose({ ...choice, whole: whole === '' ? null : whole })}
          />
        </div>
      )}
    </section>
  )
}

const limitLines = 500

/** The file as it is and as the speculation would leave it, of which the user chooses one. */
function WholeSides({ file, chosen }: { file: SpeculationConflict; chosen: ConflictChoice['whole'] }) {
  const { t } = useWords()
  if (!file.isText) return <p className="dim">{t('speculation.conflict.opaque')}</p>
  const sides = [
    { name: 'current', text: file.currentText, isLeft: chosen === 'speculated' },
    { name: 'speculated', text: file.newText, isLeft: chosen === 'keep' },
  ] as const
  return (
    <div className="speculation-sides speculation-sides-whole">
      {sides.map(({ name, text, isLeft }) => {
        const lines = text?.split('\n') ?? []
        return (
          <figure key={name} className={isLeft ? 'speculation-side-left' : undefined}>
            <figcaption className="label">{t(`speculation.side.${name}`)}</figcaption>
            {text === null && <i className="dim">{t('speculation.side.gone')}</i>}
            <Lines is={{ from: 1, lines: lines.slice(0, limitLines) }} />
            {lines.length > limitLines && <p className="dim">… {lines.length - limitLines}</p>}
          </figure>
        )
      })}
    </div>
  )
}

type PlaceProps = { place: ConflictPlace; label: string; side: Side | null; onChoose: (side: Side) => void }

/** One place, between the same lines: its lines before, its lines now, and the lines of the speculation. */
function Place({ place, label, side, onChoose }: PlaceProps) {
  const { t } = useWords()
  const isLeft = (whose: 'base' | 'current' | 'speculated'): boolean =>
    side !== null && side !== whose && !(side === 'both' && whose !== 'base')
  return (
    <div className="column speculation-place">
      <Lines is={place.before} isAround />
      <div className="speculation-sides">
        {(['base', 'current', 'speculated'] as const).map((whose) => (
          <figure key={whose} className={isLeft(whose) ? 'speculation-side-left' : undefined}>
            <figcaption className="label">{t(`speculation.side.${whose}`)}</figcaption>
            {place[whose].lines.length === 0 ? (
              <i className="dim">{t('speculation.side.none')}</i>
            ) : (
              <Lines is={place[whose]} />
            )}
          </figure>
        ))}
      </div>
      <Lines is={place.after} isAround />
      <Segmented
        label={label}
        value={side ?? ''}
        options={optionsOf(['current', 'speculated', 'both'], (value) => t(`speculation.side.${value}`))}
        onChange={(next) => next !== '' && onChoose(next)}
      />
    </div>
  )
}

function Lines({ is: { from, lines }, isAround = false }: { is: NumberedLines; isAround?: boolean }) {
  if (lines.length === 0) return null
  return (
    <div className={isAround ? 'speculation-lines speculation-lines-around code' : 'speculation-lines code'}>
      {lines.map((line, at) => {
        const number = from + at
        return (
          <div key={number} className="pre speculation-line">
            <span className="speculation-number" aria-hidden="true">
              {number}
            </span>
            <span>
              <Verbatim text={line.replace(/\r?\n$/, '')} />
            </span>
          </div>
        )
      })}
    </div>
  )
}
