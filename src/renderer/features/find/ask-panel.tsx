import './ask-panel.css'
import { useEffect, useRef } from 'react'
import type { Quotation } from '../../../shared/domain/work/find.ts'
import type { ModelAnswer } from '../../state/slices/work/ask-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PlaceButton } from '../places/place-button.tsx'
import { SearchForm } from './search-form.tsx'

/**
 * A question about the work and the places that may answer it; pressing one goes there, and they stay beside the text.
 * The model answers from these places where it is asked to, with their numbers behind what they say.
 */
export function AskPanel() {
  const { t, errorText } = useWords()
  const { question, answer, isBusy, error, modelAnswer, visited, isFocusWanted, ...act } = useApp(
    (state) => state.ask,
  )
  const { setQuestion, ask, askModel, stopModel, visit, focused } = act
  const places = useRef<HTMLOListElement>(null)
  useEffect(() => {
    places.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [])
  useEffect(() => {
    if (isFocusWanted) focused()
  }, [isFocusWanted, focused])
  const [unread] = answer?.unread ?? []
  const count = answer?.quotations.length ?? 0
  const found = answer !== null && (count === 0 ? t('ask.nothing') : t('ask.found', { count }))
  const isAnswering = modelAnswer?.state === 'running'
  const showPlace = (nth: number) =>
    places.current?.children[nth - 1]?.querySelector<HTMLElement>('button')?.focus()
  return (
    <section className="ask-panel" aria-label={t('command.workAsk')}>
      <SearchForm
        isFocusWanted={isFocusWanted}
        label={t('ask.question')}
        hint={t('ask.hint')}
        placeholder={t('ask.placeholder')}
        send={t('ask.send')}
        value={question}
        canSend={!isBusy && question.trim() !== ''}
        onChange={setQuestion}
        onSend={() => void ask()}
        status={isBusy ? t('ask.reading') : found}
      >
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
        {answer !== null && unread !== undefined && (
          <Notice tone="warn">{t('ask.unread', { count: answer.unread.length, path: unread })}</Notice>
        )}
        {count > 0 && (
          <div className="row">
            {isAnswering ? (
              <Button onClick={stopModel}>{t('editor.stop')}</Button>
            ) : (
              <Button disabled={isBusy} onClick={() => void askModel()}>
                {t(modelAnswer === null ? 'ask.model' : 'ask.modelAgain')}
              </Button>
            )}
            <span className="dim grow" role="status">
              {modelAnswer !== null && <AnswerState answer={modelAnswer} />}
            </span>
          </div>
        )}
        {modelAnswer?.error && <Notice tone="bad">{errorText(modelAnswer.error)}</Notice>}
        {modelAnswer !== null && modelAnswer.text.trim() !== '' && (
          <AnswerText answer={modelAnswer} places={count} onPlace={showPlace} />
        )}
      </SearchForm>
      {answer !== null && (
        <ol className="ask-quotations" ref={places}>
          {answer.quotations.map((quotation, index) => (
            <QuotationRow
              key={`${quotation.from} ${quotation.path}`}
              nth={index + 1}
              quotation={quotation}
              isVisited={visited === index + 1}
              onVisit={visit}
            />
          ))}
        </ol>
      )}
    </section>
  )
}

/** The answer that the prompt asks for when no place holds the information. */
const nothingSaid = /^\s*\[0\]\s*$/

function AnswerState({ answer: { state, given, text, isCut } }: { answer: ModelAnswer }) {
  const { t } = useWords()
  if (state === 'stopped') return t('ask.modelStopped')
  if (state === 'failed') return null
  if (given === null) return t('ask.reading')
  if (state === 'running') return t('ask.modelReads', { count: given })
  if (text.trim() === '') return t('ask.modelEmpty')
  if (nothingSaid.test(text)) return t('ask.modelNothing', { count: given })
  return t(isCut ? 'ask.modelCut' : 'ask.modelDone', { count: given })
}

type AnswerTextProps = { answer: ModelAnswer; places: number; onPlace(nth: number): void }

/** The model's words; a number of a place leads to that place. */
function AnswerText({ answer: { text }, places, onPlace }: AnswerTextProps) {
  const { t } = useWords()
  if (nothingSaid.test(text)) return null
  return (
    <section className="ask-answer serif" aria-label={t('ask.modelAnswer')}>
      {text.split(/(\[\d+\])/).map((part, index) => {
        const nth = Number(/^\[(\d+)\]$/.exec(part)?.[1] ?? 0)
        return nth >= 1 && nth <= places ? (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: parts only come at the end
            key={index}
            type="button"
            className="ask-number"
            aria-label={t('ask.placeNumber', { nth })}
            onClick={() => onPlace(nth)}
          >
            {nth}
          </button>
        ) : (
          part
        )
      })}
    </section>
  )
}

type QuotationRowProps = {
  nth: number
  quotation: Quotation
  /** It was gone to last. */
  isVisited: boolean
  onVisit(nth: number): void
}

function QuotationRow({ nth, quotation, isVisited, onVisit }: QuotationRowProps) {
  const { before, text, after, matches } = quotation
  const start = text.length - text.trimStart().length
  return (
    <li>
      <PlaceButton place={quotation} nth={nth} isCurrent={isVisited} onGo={() => onVisit(nth)}>
        <span className="serif ask-around">{before}</span>
        <span className="serif">
          {matches.map(({ from, to }, index) => (
            <span key={from}>
              {text.slice(index === 0 ? start : matches[index - 1]?.to, from)}
              <mark>{text.slice(from, to)}</mark>
            </span>
          ))}
          {text.slice(matches.at(-1)?.to ?? start).trimEnd()}
        </span>
        <span className="serif ask-around">{after}</span>
      </PlaceButton>
    </li>
  )
}
