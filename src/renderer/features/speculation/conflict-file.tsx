import type { SpeculationConflict } from '../../../shared/domain/session/speculation.ts'
import type { Chunk, Side } from '../../../shared/text/difference/three-way.ts'
import { useWords } from '../../state/store-context.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Pieces, Verbatim } from '../../ui/verbatim.tsx'
import { type ConflictChoice, chunksOf, mustStay, openPlaces } from './conflict-merge.ts'

type ConflictFileProps = {
  file: SpeculationConflict
  choice: ConflictChoice
  onChoose: (choice: ConflictChoice) => void
}

/** A file that somebody else changed meanwhile: each place of it, with whose lines it shall have. */
export function ConflictFile({ file, choice, onChoose }: ConflictFileProps) {
  const { t } = useWords()
  const chunks = chunksOf(file)
  const places = chunks?.flatMap((chunk) => (chunk.kind === 'change' && chunk.side === null ? chunk : []))
  return (
    <section className="ahead-conflict" aria-label={file.path}>
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
      {openPlaces(file, choice) > 0 && (
        <p className="ahead-open">{t('speculation.conflict.open', { count: openPlaces(file, choice) })}</p>
      )}
    </section>
  )
}

type PlaceProps = {
  place: Extract<Chunk, { kind: 'change' }>
  label: string
  side: Side | null
  onChoose: (side: Side) => void
}

function Place({ place, label, side, onChoose }: PlaceProps) {
  const { t } = useWords()
  return (
    <div className="ahead-place">
      <div className="ahead-sides">
        {(['current', 'speculated'] as const).map((whose) => (
          <figure
            key={whose}
            className={side === null || side === whose || side === 'both' ? undefined : 'ahead-side-left'}
          >
            <figcaption className="label">{t(`speculation.side.${whose}`)}</figcaption>
            <pre className="code">
              {place[whose].length === 0 ? (
                <i>{t('speculation.side.none')}</i>
              ) : (
                <Verbatim text={place[whose].join('')} />
              )}
            </pre>
          </figure>
        ))}
      </div>
      <Segmented
        label={label}
        value={side ?? ''}
        options={(['current', 'speculated', 'both'] as const).map((value) => ({
          value,
          label: t(`speculation.side.${value}`),
        }))}
        onChange={(next) => next !== '' && onChoose(next)}
      />
    </div>
  )
}
