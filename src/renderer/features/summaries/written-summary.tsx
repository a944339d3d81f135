import { useMemo, useState } from 'react'
import type {
  ChapterSummary,
  SummaryOffer,
  SummaryTarget,
} from '../../../shared/domain/lore/chapter-summary.ts'
import { wordDifference } from '../../../shared/text/difference/word-difference.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { takeNames } from '../../state/reducers/take-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { MarkedText } from '../../ui/diff/marked-text.tsx'
import { Notice } from '../../ui/notice.tsx'

/** A summary of a chapter, or of several. */
type Summary = Pick<ChapterSummary, 'file' | 'state' | 'text' | 'offer' | 'takes'>

/** Shape: `path` is that of the takes of the summary. */
type WrittenProps = { target: SummaryTarget; path: string; summary: Summary; name: string }

/** A summary, or what the model offers for it, after what is being written and why one was refused. */
export function WrittenSummary({ target, path, summary, name }: WrittenProps) {
  const { file, text, offer } = summary
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
      {conflict === file && <Notice tone="warn">{t(refusal)}</Notice>}
      {offer === null ? (
        text !== '' && <p className="pre serif summary-text">{text}</p>
      ) : (
        <Offer key={offer.takeId} offer={offer} before={summary} name={name} />
      )}
      {summary.takes > (offer === null ? 0 : 1) && <Takes path={path} summary={summary} name={name} />}
    </>
  )
}

type Labelled = { label: string; text: string }

/** Two texts side by side; the words that only one of them has are marked in it. */
function Compared({ left, right }: { left: Labelled; right: Labelled }) {
  const { t, language } = useWords()
  const difference = useMemo(
    () => wordDifference(left.text, right.text, languageOfText(right.text) ?? language),
    [left.text, right.text, language],
  )
  return (
    <div className="compare-columns">
      {(
        [
          [left, difference?.before],
          [right, difference?.after],
        ] as const
      ).map(([{ label, text }, pieces]) => (
        <section key={label} aria-label={label}>
          <p className="dim">{label}</p>
          <MarkedText text={text} pieces={pieces} onlyHere={t('takes.onlyHere')} />
        </section>
      ))}
    </div>
  )
}

/** What the model wrote, to be changed, accepted or discarded; beside what it would replace. */
function Offer({ offer, before, name }: { offer: SummaryOffer; before: Summary; name: string }) {
  const { t } = useWords()
  const { accept, discard, edit } = useApp((state) => state.summaries)
  const text = useApp((state) => state.summaries.edited[offer.takeId]) ?? offer.text
  return (
    <>
      {before.text !== '' && (
        <Compared
          left={{ label: t('summary.before'), text: before.text }}
          right={{ label: t('summary.after'), text }}
        />
      )}
      {offer.isPartial && <Notice tone="warn">{t('summary.partial')}</Notice>}
      {offer.isCut && <Notice tone="warn">{t('summary.cut')}</Notice>}
      <textarea
        className="textarea serif"
        aria-label={t('summary.offer', { name })}
        rows={6}
        value={text}
        onChange={(event) => edit(offer.takeId, event.target.value)}
      />
      <div className="row">
        <span className="dim grow">{t('summary.by', { model: offer.modelName })}</span>
        <Button variant="quiet" onClick={() => void discard(offer.takeId)}>
          {t('summary.discard')}
        </Button>
        <Button
          variant="primary"
          disabled={text.trim() === ''}
          onClick={() => void accept(offer.takeId, text, before.text)}
        >
          {t(before.state === 'own' ? 'summary.acceptForOwn' : 'summary.accept')}
        </Button>
      </div>
    </>
  )
}

/** The other takes of a summary, each to be read beside the offer or the summary, and to be offered again. */
function Takes({ path, summary, name }: { path: string; summary: Summary; name: string }) {
  const { t, language } = useWords()
  const { loadTakes, offer: offerAgain, edited } = useApp((state) => state.summaries)
  const showPrompt = useApp((state) => state.takes.showPrompt)
  const close = useApp((state) => state.ui.close)
  const list = useApp((state) => state.takes.list)
  const [isOpen, setIsOpen] = useState(false)
  const [chosenId, setChosenId] = useState('')
  const { offer } = summary
  const takes = list.filter(
    (take) => take.mode === 'summary' && take.path === path && take.takeId !== offer?.takeId,
  )
  const chosen = takes.find(({ takeId }) => takeId === chosenId) ?? takes[0]
  const names = takeNames(
    takes,
    (at) => new Date(at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' }),
    (time, nth) => t('takes.named', { time, nth }),
  )
  const label = t('summary.takes', { count: summary.takes - (offer === null ? 0 : 1) })
  const toggle = () => {
    setIsOpen(!isOpen)
    if (!isOpen) void loadTakes(path)
  }
  return (
    <>
      <div className="row">
        <Button
          variant="quiet"
          aria-expanded={isOpen}
          aria-label={t('action.of', { action: label, name })}
          onClick={toggle}
        >
          {label}
        </Button>
        {isOpen && chosen && (
          <>
            <select
              className="select"
              aria-label={t('summary.take', { name })}
              value={chosen.takeId}
              onChange={(event) => setChosenId(event.target.value)}
            >
              {takes.map(({ takeId, modelName }) => (
                <option key={takeId} value={takeId}>
                  {`${names.get(takeId)} · ${modelName}`}
                </option>
              ))}
            </select>
            <span className="grow" />
            <Button
              variant="quiet"
              onClick={() => {
                close()
                void showPrompt(chosen.takeId)
              }}
            >
              {t('takes.prompt')}
            </Button>
            <Button onClick={() => void offerAgain(chosen.takeId)}>{t('summary.offerAgain')}</Button>
          </>
        )}
      </div>
      {isOpen && chosen && (
        <Compared
          left={{ label: names.get(chosen.takeId) ?? '', text: chosen.edited ?? chosen.text }}
          right={
            offer === null
              ? { label: t('summary.before'), text: summary.text }
              : { label: t('summary.offer', { name }), text: edited[offer.takeId] ?? offer.text }
          }
        />
      )}
    </>
  )
}
