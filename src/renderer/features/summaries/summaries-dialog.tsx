import './summaries.css'
import { useEffect } from 'react'
import {
  type ChapterSummary,
  isOpenForNew,
  type SummaryOffer,
  type SummaryState,
  type SummaryTarget,
} from '../../../shared/domain/lore/chapter-summary.ts'
import { wholePath } from '../../../shared/domain/lore/summary-source.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'
import { isTinyModel } from '../../state/model-words.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/fields/choice-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { WrittenSummary } from './written-summary.tsx'

/** Summaries of the work's chapters: made by the model, decided by the author. */
export function SummariesDialog() {
  const { t, errorText } = useWords()
  const { value, making, error, empty, skipped, refresh, make, stop } = useApp((state) => state.summaries)
  useEffect(() => void refresh(), [refresh])
  const lacking = (value?.episodes ?? []).filter(
    ({ state, offer }) => state === 'none' && isOpenForNew(offer),
  )
  const [nothingOf] = empty
  const blank = skipped.filter((one) => one.error === null)
  return (
    <Dialog
      title={t('command.summaries')}
      description={t('summary.about')}
      size="large"
      footer={
        <>
          {!making && <TinyModel />}
          <span className="dim grow" role="status">
            {making &&
              t('summary.making', {
                nth: making.index + 1,
                total: making.targets.length,
                piece: making.piece + 1,
                pieces: making.pieces,
              })}
          </span>
          {making ? (
            <Button onClick={stop}>{t('editor.stop')}</Button>
          ) : (
            <Button
              variant="primary"
              disabled={lacking.length === 0}
              onClick={() => void make(lacking.map(({ path }) => ({ kind: 'episode', path })))}
            >
              {t('summary.makeAll', { count: lacking.length })}
            </Button>
          )}
        </>
      }
    >
      <div className="summaries">
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
        {nothingOf !== undefined && (
          <Notice tone="warn">{t('summary.empty', { count: empty.length })}</Notice>
        )}
        {skipped.map(
          ({ path, error: why }) =>
            why !== null && (
              <Notice key={path} tone="bad">
                {errorText(why)}
              </Notice>
            ),
        )}
        {blank.length > 0 && (
          <Notice tone="plain">
            {t('summary.blank', { names: blank.map(({ path }) => displayName(path)).join(' · ') })}
          </Notice>
        )}
        <ul>
          {value?.episodes.map((chapter) => (
            <ChapterRow key={chapter.path} chapter={chapter} />
          ))}
        </ul>
        {value && <WholeRow />}
        <WhileIdle />
      </div>
    </Dialog>
  )
}

/** Warns about a model that is too small for summaries. */
function TinyModel() {
  const { t } = useWords()
  const { status, profiles } = useApp((state) => state.models)
  const profile = profiles.find(({ id }) => id === status.profileId)
  if (status.isDemo || !isTinyModel(profile, status.modelName)) return null
  const name = shownModelName(status.modelName ?? status.profileName ?? '')
  return <p className="summary-expect">{t('summary.tinyModel', { name })}</p>
}

/** The switch of automatic summaries, and their state. */
function WhileIdle() {
  const { t, errorText } = useWords()
  const { value, update } = useApp((state) => state.settings)
  const idle = useApp((state) => state.summaries.idle)
  const name = idle?.path == null ? '' : displayName(idle.path)
  return (
    <div>
      <CheckField
        label={t('summary.idle')}
        hint={t('summary.idle.hint')}
        value={value.summariesWhileIdle}
        onChange={(summariesWhileIdle) => void update({ summariesWhileIdle })}
      />
      {idle && (
        <p className="dim" role="status">
          {t(`summary.idle.${idle.state}`, { name, reason: idle.error ? errorText(idle.error) : '' })}
          {idle.made > 0 && ` ${t('summary.idle.made', { count: idle.made })}`}
        </p>
      )}
    </div>
  )
}

function ChapterRow({ chapter }: { chapter: ChapterSummary }) {
  const { t, errorText } = useWords()
  const { path, file, state, error, offer } = chapter
  const name = displayName(path)
  const target: SummaryTarget = { kind: 'episode', path }
  return (
    <li className="card" aria-label={name}>
      <div className="row">
        <strong className="grow clip">{name}</strong>
        <State state={state} />
        {(chapter.text !== '' || error !== null) && <OpenButton file={file} />}
        {isOpenForNew(offer) && <MakeButton target={target} label={t(makeWords(state, offer))} name={name} />}
      </div>
      {error && <Notice tone="warn">{errorText(error)}</Notice>}
      <WrittenSummary target={target} path={path} summary={chapter} name={name} />
    </li>
  )
}

function makeWords(state: SummaryState, offer: SummaryOffer | null) {
  if (state === 'own') return 'summary.makeBesideOwn'
  return offer === null && (state === 'none' || state === 'unreadable') ? 'summary.make' : 'summary.renew'
}

function State({ state }: { state: SummaryState }) {
  const { t } = useWords()
  const isBad = state === 'outdated' || state === 'unreadable'
  return <span className={isBad ? 'summary-outdated' : 'dim'}>{t(`summary.state.${state}`)}</span>
}

/** Summaries of early chapters, told as one where they do not all fit. */
function WholeRow() {
  const { t, errorText } = useWords()
  const value = useApp((state) => state.summaries.value)
  const story = useApp((state) => state.preview.value?.story)
  if (value === null) return null
  const { whole, episodes } = value
  const isOld = whole.state === 'outdated'
  // One that is made anew is made of these.
  const first = episodes.filter(
    ({ path, state }) => whole.changed.includes(path) && state !== 'own' && state !== 'current',
  )
  const leftOut = story?.uses.flatMap(({ place, path }) => (place === 'left-out' && path ? [path] : [])) ?? []
  const isThere = whole.text !== '' || whole.error !== null
  if (leftOut.length === 0 && !isThere && whole.offer === null) return null
  const name = t('summary.whole')
  const target: SummaryTarget = {
    kind: 'whole',
    episodes: isOld ? [...new Set([...whole.episodes, ...leftOut])] : leftOut,
  }
  return (
    <section className="card" aria-label={name}>
      <div className="row">
        <strong className="grow">{name}</strong>
        {isThere && <State state={whole.state} />}
        {isThere && <OpenButton file={whole.file} />}
        {isOpenForNew(whole.offer) && (isOld ? first.length === 0 : leftOut.length > 0) && (
          <MakeButton
            target={target}
            label={isOld ? t('summary.renew') : t('summary.makeWhole', { count: leftOut.length })}
            name={name}
          />
        )}
      </div>
      <p className="dim">{t('summary.whole.hint')}</p>
      {whole.error && <Notice tone="warn">{errorText(whole.error)}</Notice>}
      {first.length > 0 && (
        <Notice tone="plain">
          {t('summary.whole.first', { names: first.map(({ path }) => displayName(path)).join(' · ') })}
        </Notice>
      )}
      <WrittenSummary target={target} path={wholePath} summary={whole} name={name} />
    </section>
  )
}

function MakeButton({ target, label, name }: { target: SummaryTarget; label: string; name: string }) {
  const { t } = useWords()
  const { making, make } = useApp((state) => state.summaries)
  return (
    <Button
      disabled={making !== null}
      aria-label={t('action.of', { action: label, name })}
      onClick={() => void make([target])}
    >
      {label}
    </Button>
  )
}

function OpenButton({ file }: { file: string }) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  const goTo = useApp((state) => state.documents.goTo)
  return (
    <Button
      variant="quiet"
      onClick={() => {
        close()
        goTo(file)
      }}
    >
      {t('lore.openFile')}
    </Button>
  )
}
