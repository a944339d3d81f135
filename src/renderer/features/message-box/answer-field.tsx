import './message-box.css'
import { type RefObject, useId, useLayoutEffect, useRef, useState } from 'react'
import type { MessageSegment } from '../../../shared/domain/session/message-segment.ts'
import type { MessageValue } from '../../editor/message/message-editor.ts'
import { answerKey } from '../../state/slices/unsent-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { useImages, useMessageEditor, useMessageLabels, useUnsent } from './box-editor.ts'
import { answerAction, optionAction } from './box-keys.ts'
import { OptionList, useOptionList } from './options/option-list.tsx'
import { useReferenceOptions } from './options/reference-options.ts'

type AnswerFieldProps = {
  cspNonce: string | undefined
  callId: string
  /** False where it was not sent. */
  onAnswer: (segments: MessageSegment[]) => Promise<boolean>
}

/** The field in which the user answers a question of the model in free text, with files as in a message. */
export function AnswerField({ cspNonce, callId, onAnswer }: AnswerFieldProps) {
  const { t } = useWords()
  const store = useAppStore()
  const key = useApp((state) => answerKey(state, callId))
  const hintId = useId()
  const field = useRef<HTMLDivElement>(null)
  const [isSending, setIsSending] = useState(false)
  const labels = useMessageLabels(hintId, t('conversation.ownAnswer'))
  const { parent, editor, value } = useMessageEditor({
    cspNonce,
    labels,
    onKey: (event, now) => hear(event, now),
    onImages: (files) => images.take(files),
    onChange(next) {
      if (next.reference?.path !== value.reference?.path) list.chooseFirst()
      keep(next.segments)
    },
  })
  const images = useImages(editor)
  const keep = useUnsent(editor, key)
  const references = useReferenceOptions(editor, value.reference)
  const list = useOptionList(editor, references.options)
  const hasOptions = references.options.length > 0

  const answer = async () => {
    const adding = images.settled()
    if (adding !== null) await adding
    const now = editor.current?.value()
    if (!now || now.isEmpty || isSending) return
    const { unsent } = store.getState()
    const release = unsent.hold(key)
    setIsSending(true)
    const isSent = await onAnswer(now.segments)
    setIsSending(false)
    if (isSent) unsent.keep(key, [])
    release()
    if (isSent) store.messageBox.current?.focus()
    else editor.current?.focus()
  }
  const take = (index: number) => {
    references.take(index)
    list.chooseFirst()
    editor.current?.focus()
  }
  const hear = (event: KeyboardEvent, now: MessageValue): boolean => {
    const action = optionAction(event, { hasOptions, isOptionWhole: false }) ?? answerAction(event)
    if (action === null) return false
    if (action === 'option-next') list.choose(1)
    else if (action === 'option-previous') list.choose(-1)
    else if (action === 'option-take') take(list.chosen)
    else if (action === 'options-close') references.close()
    else if (action === 'leave') store.messageBox.current?.focus()
    else if (!event.repeat && !now.isEmpty) void answer()
    return true
  }

  const isBelow = useRoomBelow(field, references.options.length)
  return (
    <div className="answer-field" ref={field}>
      {hasOptions && (
        <OptionList
          id={list.id}
          label={t('reference.list')}
          options={references.options}
          chosen={list.chosen}
          isBelow={isBelow}
          onTake={take}
        />
      )}
      <div className="answer-box" ref={parent} />
      <Button disabled={value.isEmpty || isSending} onClick={() => void answer()}>
        {t('conversation.answer')}
      </Button>
    </div>
  )
}

/** True where the list has room under the field; above the field it would cover the question. */
function useRoomBelow(field: RefObject<HTMLElement | null>, count: number): boolean {
  const [isBelow, setIsBelow] = useState(false)
  useLayoutEffect(() => {
    const own = field.current?.getBoundingClientRect()
    const around = field.current?.closest('[role=log]')?.getBoundingClientRect()
    const list = field.current?.querySelector<HTMLElement>('[role=listbox]')
    if (count === 0 || !own || !around || !list) return
    const below = around.bottom - own.bottom
    setIsBelow(below > list.offsetHeight + gap || below > own.top - around.top)
  }, [field, count])
  return isBelow
}

/** Gap between the field and its list. Units: px, as in the style sheet. */
const gap = 4
