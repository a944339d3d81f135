import { useRef, useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

/** Inserts the selected part of a take at the caret; without a selection, all that the author has left of it. */
export function TakePart({ takeId }: { takeId: string }) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  const insertPart = useApp((state) => state.takes.insertPart)
  const take = useApp((state) => state.takes.list.find((one) => one.takeId === takeId))
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(take?.text ?? '')
  const insert = () => {
    const { selectionStart = 0, selectionEnd = 0 } = area.current ?? {}
    const part = text.slice(selectionStart, selectionEnd) || text
    if (part === '') return
    close()
    void insertPart(takeId, part)
  }
  return (
    <Dialog
      title={t('takes.partTitle')}
      closeLabel={t('action.close')}
      size="medium"
      onClose={close}
      footer={
        <Button look="primary" disabled={text === ''} onClick={insert}>
          {t('takes.insert')}
        </Button>
      }
    >
      <div className="take-part">
        <Field label={t('takes.partText')} hint={t('takes.partHint')}>
          {(ids) => (
            <textarea
              {...ids}
              ref={area}
              className="textarea serif"
              rows={14}
              autoFocus
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !event.ctrlKey || event.nativeEvent.isComposing) return
                event.preventDefault()
                event.stopPropagation()
                insert()
              }}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}
