import './ask-dialog.css'
import { type FormEvent, useEffect } from 'react'
import type { Quotation } from '../../../shared/domain/work/quotation.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

/** A question about the work and the places that may answer it; pressing one goes there. */
export function AskDialog() {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { question, answer, isBusy, error, setQuestion, ask, clear } = useApp((state) => state.ask)
  useEffect(() => clear, [clear])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void ask()
  }
  const [unread] = answer?.unread ?? []
  return (
    <Dialog title={t('command.workAsk')} closeLabel={t('action.close')} size="medium" onClose={close}>
      <form className="find" onSubmit={submit}>
        <Field label={t('ask.question')} hint={t('ask.hint')}>
          {(ids) => (
            <div className="row">
              <input
                {...ids}
                className="input grow"
                autoFocus
                maxLength={2_000}
                placeholder={t('ask.placeholder')}
                value={question}
                onFocus={(event) => event.target.select()}
                onChange={(event) => setQuestion(event.target.value)}
              />
              <Button type="submit" look="primary" disabled={isBusy || question.trim() === ''}>
                {t('ask.send')}
              </Button>
            </div>
          )}
        </Field>
        <p className="dim" role="status">
          {isBusy && t('ask.reading')}
          {!isBusy && answer !== null && answer.quotations.length === 0 && t('ask.nothing')}
          {!isBusy &&
            answer !== null &&
            answer.quotations.length > 0 &&
            t('ask.found', { count: answer.quotations.length })}
        </p>
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
        {answer !== null && unread !== undefined && (
          <Notice tone="warn">{t('ask.unread', { count: answer.unread.length, path: unread })}</Notice>
        )}
      </form>
      {answer !== null && (
        <ol className="ask-quotations">
          {answer.quotations.map((quotation) => (
            <QuotationRow key={`${quotation.from} ${quotation.path}`} quotation={quotation} />
          ))}
        </ol>
      )}
    </Dialog>
  )
}

function QuotationRow({ quotation }: { quotation: Quotation }) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  const goToPlace = useApp((state) => state.documents.goToPlace)
  const { path, line, before, text, after } = quotation
  const show = () => {
    close()
    void goToPlace(quotation)
  }
  return (
    <li>
      <button type="button" className="ask-quotation" onClick={show}>
        <span className="dim">{t('ask.place', { name: displayName(path), line })}</span>
        <span className="serif ask-around">{before}</span>
        <span className="serif">{text}</span>
        <span className="serif ask-around">{after}</span>
      </button>
    </li>
  )
}
