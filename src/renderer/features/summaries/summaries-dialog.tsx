import './summaries.css'
import { useEffect, useMemo } from 'react'
import type {
  ChapterSummary,
  SummaryOffer,
  SummaryPlace,
  SummaryState,
  SummaryTarget,
} from '../../../shared/domain/lore/chapter-summary.ts'
import { wordDifference } from '../../../shared/text/difference/word-difference.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { isTinyModel } from '../../state/model-words.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { keyOfPlace } from '../../state/slices/work/summaries-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { MarkedText } from '../../ui/diff/marked-text.tsx'
import { CheckField } from '../../ui/fields/choice-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** Summaries of the work's chapters: made by the model, decided by the author. */
export function SummariesDialog() {
  const { t, errorText } = useWords()
  const { value, making, error, empty, skipped, refresh, make, stop } = useApp((state) => state.summaries)
  useEffect(() => void refresh(), [refresh])
  const lacking = (value?.episodes ?? []).filter(({ state, offer }) => state === 'none' && offer === null)
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
  const { path, state, error, text, offer } = chapter
  const name = displayName(path)
  const target: SummaryTarget = { kind: 'episode', path }
  return (
    <li className="card" aria-label={name}>
      <div className="row">
        <strong className="grow clip">{name}</strong>
        <State state={state} />
        {(text !== '' || error !== null) && <OpenButton file={chapter.file} />}
        {offer === null && (
          <MakeButton
            target={target}
            label={t(state === 'none' || state === 'unreadable' ? 'summary.make' : 'summary.renew')}
            name={name}
          />
        )}
      </div>
      {error && <Notice tone="warn">{errorText(error)}</Notice>}
      <Written target={target} place={{ kind: 'episode', path }} text={text} offer={offer} name={name} />
    </li>
  )
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
        {whole.offer === null && (isOld ? first.length === 0 : leftOut.length > 0) && (
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
      <Written target={target} place={{ kind: 'whole' }} text={whole.text} offer={whole.offer} name={name} />
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

type WrittenProps = {
  target: SummaryTarget
  place: SummaryPlace
  text: string
  offer: SummaryOffer | null
  name: string
}

/** The summary of a place, or what the model offers for it, after what is being written and why one was refused. */
function Written({ target, place, text, offer, name }: WrittenProps) {
  const { t } = useWords()
  const { making, conflict } = useApp((state) => state.summaries)
  const current = making?.targets[making.index]
  const isMine =
    target.kind === 'whole'
      ? current?.kind === 'whole'
      : current?.kind === 'episode' && current.path === target.path
  const refusal = offer === null ? 'summary.decided' : text === '' ? 'summary.emptied' : 'summary.changed'
  return (
    <>
      {isMine && making !== null && <p className="pre serif summary-text dim">{making.text}</p>}
      {conflict === keyOfPlace(place) && <Notice tone="warn">{t(refusal)}</Notice>}
      {offer === null ? (
        text !== '' && <p className="pre serif summary-text">{text}</p>
      ) : (
        <Offer key={offer.createdAt} place={place} offer={offer} before={text} name={name} />
      )}
    </>
  )
}

type OfferProps = { place: SummaryPlace; offer: SummaryOffer; before: string; name: string }

/** Shows the model's summary, to be edited, accepted or discarded, beside the one that it would replace. */
function Offer({ place, offer, before, name }: OfferProps) {
  const { t, language } = useWords()
  const { accept, discard, edit } = useApp((state) => state.summaries)
  const edited = useApp((state) => state.summaries.edited[keyOfPlace(place)])
  const text = edited?.offered === offer.text ? edited.text : offer.text
  const difference = useMemo(
    () => (before === '' ? null : wordDifference(before, text, languageOfText(text) ?? language)),
    [before, text, language],
  )
  const onlyHere = t('takes.onlyHere')
  return (
    <>
      {before !== '' && (
        <div className="compare-columns">
          <section aria-label={t('summary.before')}>
            <p className="dim">{t('summary.before')}</p>
            <MarkedText text={before} pieces={difference?.before} onlyHere={onlyHere} />
          </section>
          <section aria-label={t('summary.after')}>
            <p className="dim">{t('summary.after')}</p>
            <MarkedText text={text} pieces={difference?.after} onlyHere={onlyHere} />
          </section>
        </div>
      )}
      {offer.isCut && <Notice tone="warn">{t('summary.cut')}</Notice>}
      <textarea
        className="textarea serif"
        aria-label={t('summary.offer', { name })}
        rows={6}
        value={text}
        onChange={(event) => edit(place, offer.text, event.target.value)}
      />
      <div className="row">
        <span className="dim grow">{t('summary.by', { model: offer.modelName })}</span>
        <Button variant="quiet" onClick={() => void discard(place)}>
          {t('summary.discard')}
        </Button>
        <Button
          variant="primary"
          disabled={text.trim() === ''}
          onClick={() => void accept(place, text, before)}
        >
          {t('summary.accept')}
        </Button>
      </div>
    </>
  )
}
