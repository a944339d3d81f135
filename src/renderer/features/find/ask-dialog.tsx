import './ask-dialog.css'
import { useEffect } from 'react'
import type { Quotation } from '../../../shared/domain/work/quotation.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { PlaceButton } from '../places/place-button.tsx'
import { SearchForm } from './search-form.tsx'

/** A question about the work and the places that may answer it; pressing one goes there. */
export function AskDialog() {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { question, answer, isBusy, error, setQuestion, ask, clear } = useApp((state) => state.ask)
  useEffect(() => clear, [clear])
  const [unread] = answer?.unread ?? []
  const count = answer?.quotations.length ?? 0
  const found = answer !== null && (count === 0 ? t('ask.nothing') : t('ask.found', { count }))
  return (
    <Dialog title={t('command.workAsk')} closeLabel={t('action.close')} size="medium" onClose={close}>
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
      </SearchForm>
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
  const { before, text, after } = quotation
  return (
    <li>
      <PlaceButton place={quotation}>
        <span className="serif ask-around">{before}</span>
        <span className="serif">{text.trim()}</span>
        <span className="serif ask-around">{after}</span>
      </PlaceButton>
    </li>
  )
}
