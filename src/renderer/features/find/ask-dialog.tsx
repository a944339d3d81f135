import './ask-dialog.css'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Quotation } from '../../../shared/domain/work/find.ts'
import type { ModelAnswer } from '../../state/slices/work/ask-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { PlaceButton } from '../places/place-button.tsx'

/**
 * A question about the work and the places that may answer it; pressing one goes there. The model answers from these
 * places where it is asked to, with their numbers behind what they say.
 */
export function AskDialog() {
  const { t, errorText } = useWords()
  const { question, answer, isBusy, error, modelAnswer, ...act } = useApp((state) => state.ask)
  const { setQuestion, ask, askModel, stopModel, clear } = act
  const places = useRef<HTMLOListElement>(null)
  useEffect(() => clear, [clear])
  const [unread] = answer?.unread ?? []
  const count = answer?.quotations.length ?? 0
  const found = answer !== null && (count === 0 ? t('ask.nothing') : t('ask.found', { count }))
  const isAnswering = modelAnswer?.state === 'running'
  const showPlace = (nth: number) =>
    places.current?.children[nth - 1]?.querySelector<HTMLElement>('button')?.focus()
  return (
    <Dialog
      title={t('command.workAsk')}
      size="medium"
      footer={
        count > 0 && (
          <>
            <span className="dim grow" role="status">
              {modelAnswer !== null && <AnswerState answer={modelAnswer} />}
            </span>
            {isAnswering ? (
              <Button onClick={stopModel}>{t('editor.stop')}</Button>
            ) : (
              <Button disabled={isBusy} onClick={() => void askModel()}>
                {t(modelAnswer === null ? 'ask.model' : 'ask.modelAgain')}
              </Button>
            )}
          </>
        )
      }
    >
      <SearchForm
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
        {modelAnswer?.error && <Notice tone="bad">{errorText(modelAnswer.error)}</Notice>}
        {modelAnswer !== null && modelAnswer.text.trim() !== '' && (
          <AnswerText answer={modelAnswer} places={count} onPlace={showPlace} />
        )}
      </SearchForm>
      {answer !== null && (
        <ol className="ask-quotations" ref={places}>
          {answer.quotations.map((quotation, index) => (
            <QuotationRow key={`${quotation.from} ${quotation.path}`} nth={index + 1} quotation={quotation} />
          ))}
        </ol>
      )}
    </Dialog>
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

function QuotationRow({ nth, quotation }: { nth: number; quotation: Quotation }) {
  const { before, text, after, matches } = quotation
  const start = text.length - text.trimStart().length
  return (
    <li>
      <PlaceButton place={quotation} nth={nth}>
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

type SearchFormProps = {
  label: string
  hint: string
  placeholder?: string
  send: string
  value: string
  /** False where the query is empty or a search is running. */
  canSend: boolean
  onChange(value: string): void
  onSend(): void
  /** The progress of the search, or the number of its results. */
  status: ReactNode
  /** The files that could not be searched. */
  children?: ReactNode
}

/** One line to look for in the work, and the result of the search. */
export function SearchForm(props: SearchFormProps) {
  const { label, hint, placeholder, send, value, canSend, onChange, onSend, status, children } = props
  return (
    <Form className="find" onSubmit={onSend}>
      <Field label={label} hint={hint}>
        {(ids) => (
          <div className="row">
            <input
              {...ids}
              className="input grow"
              // biome-ignore lint/a11y/noAutofocus: the dialog begins with what it needs
              autoFocus
              maxLength={2_000}
              placeholder={placeholder}
              value={value}
              onFocus={(event) => event.target.select()}
              onChange={(event) => onChange(event.target.value)}
            />
            <Button type="submit" variant="primary" disabled={!canSend}>
              {send}
            </Button>
          </div>
        )}
      </Field>
      <p className="dim" role="status">
        {status}
      </p>
      {children}
    </Form>
  )
}
