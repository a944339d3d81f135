import './writing-dialog.css'
import type { WritingDay } from '../../../shared/domain/work/writing-progress.ts'
import { pagesOf, type TextCount } from '../../../shared/text/manuscript/character-count.ts'
import { workTotal } from '../../state/reducers/work-reducer.ts'
import { dayOf } from '../../state/slices/work/writing-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

const shownDays = 14

/** The length of the text, today's goal and the days before. */
export function WritingDialog() {
  const { t } = useWords()
  return (
    <Dialog title={t('writing.title')}>
      <div className="writing-dialog">
        <Amounts />
        <Today />
      </div>
    </Dialog>
  )
}

function Amounts() {
  const { t } = useWords()
  const figures = useApp((state) => state.documents.figures)
  const work = useApp((state) => state.work.current)
  const total = (figure: 'characters' | 'words' | 'pages') => workTotal(work, figure)
  const ofText = (count: TextCount) => [count.characters, pagesOf(count), count.words]
  const rows = [
    ...(figures && figures.selected.rows > 0
      ? [{ name: t('writing.selection'), values: ofText(figures.selected) }]
      : []),
    ...(figures ? [{ name: t('writing.chapter'), values: ofText(figures.count) }] : []),
    { name: t('writing.work'), values: [total('characters'), total('pages'), total('words')] },
  ]
  return (
    <table className="writing-amounts">
      <thead>
        <tr>
          <td />
          <th scope="col">{t('writing.characters')}</th>
          <th scope="col">{t('writing.pages')}</th>
          <th scope="col">{t('writing.words')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, values }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {values.map((value, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the three figures of a row stand in one order
              <td key={index}>{value === null ? '–' : t('unit.count', { count: value })}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Today() {
  const { t, language } = useWords()
  const progress = useApp((state) => state.work.current?.progress ?? null)
  const textLanguage = useApp((state) => state.documents.figures?.language ?? 'ja')
  const setGoal = useApp((state) => state.writing.setGoal)
  if (progress === null) return null
  const unit = progress.goal?.unit ?? (textLanguage === 'ja' ? 'characters' : 'words')
  const now = Date.now()
  const today = progress.days.find(({ date }) => date === dayOf(now))?.[unit] ?? 0
  const days = lastDays(progress.days, now)
  const most = Math.max(progress.goal?.count ?? 0, 1, ...days.map((day) => day[unit]))
  const dayName = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', weekday: 'short' })
  return (
    <>
      <div className="writing-today">
        <p className="writing-figure">
          {progress.goal
            ? t(`writing.todayOf.${unit}`, { count: today, goal: progress.goal.count })
            : t(`writing.today.${unit}`, { count: today })}
        </p>
        {progress.goal && <Meter label={t('writing.goal')} value={today / progress.goal.count} />}
        <NumberField
          label={t(`writing.goal.${unit}`)}
          hint={t('writing.goal.hint')}
          min={0}
          max={1_000_000}
          value={progress.goal?.count ?? 0}
          onCommit={(count) => void setGoal(count === 0 ? null : { count, unit })}
        />
      </div>
      <section aria-label={t('writing.days')}>
        <h3>{t('writing.days')}</h3>
        <ol className="writing-days">
          {days.map((day) => (
            <li key={day.date}>
              <span>{dayName.format(new Date(`${day.date}T12:00`))}</span>
              <i style={{ width: `${(100 * Math.max(0, day[unit])) / most}%` }} aria-hidden="true" />
              <b>{t('unit.count', { count: day[unit] })}</b>
            </li>
          ))}
        </ol>
        {!progress.isKept && <p className="small dim">{t('writing.notKept')}</p>}
      </section>
    </>
  )
}

/** Returns the last two weeks, today first; days without a word are included back to the first day that has one. */
function lastDays(days: readonly WritingDay[], now: number): WritingDay[] {
  const first = days[0]?.date ?? ''
  const shown: WritingDay[] = []
  for (let back = 0; back < shownDays; back++) {
    const time = new Date(now)
    time.setDate(time.getDate() - back)
    const date = dayOf(time.getTime())
    if (back > 0 && (first === '' || date < first)) break
    shown.push(days.find((day) => day.date === date) ?? { date, characters: 0, words: 0 })
  }
  return shown
}
