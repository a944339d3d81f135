import { type KeyboardEvent, useRef, useState } from 'react'
import type { CourseItem } from '../../../shared/domain/session/agent-course.ts'
import { useWords } from '../../state/store-context.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { type CourseValue, checkedText, editedText, editedValue, limitOf } from './course-text.ts'

type CourseEditorProps = {
  item: CourseItem
  name: string
  value: CourseValue
  onWrite: (value: CourseValue) => void
  onClose: () => void
}

/** Edits an item, which is saved when it is confirmed or left; text over the limit stays open and says so. */
export function CourseEditor({ item, name, value, onWrite, onClose }: CourseEditorProps) {
  const { t } = useWords()
  const [begun] = useState(value)
  const [text, setText] = useState(editedText(value))
  const isClosed = useRef(false)
  const { characters: max, items } = limitOf(item)
  const checked = checkedText(item, text)
  const hint = items === null ? 'course.hint.line' : 'course.hint.lines'

  const close = (isKept: boolean) => {
    if (isClosed.current || (isKept && checked.problem)) return
    isClosed.current = true
    const written = editedValue(checked.value, begun, value)
    if (isKept && written !== null) onWrite(written)
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close(false)
    else if (event.key === 'Enter' && (items === null || event.ctrlKey || event.metaKey)) close(true)
    else return
    event.preventDefault()
  }
  return (
    <div className="course-editor">
      <Field
        label={t('course.edit', { item: name })}
        hint={t(hint, { count: max, items: items ?? 1 })}
        error={
          checked.problem === 'too-long'
            ? t('course.tooLong', { count: max })
            : checked.problem && t('course.tooMany', { items: items ?? 1 })
        }
      >
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            rows={items ?? 2}
            // biome-ignore lint/a11y/noAutofocus: the user has just asked to write here
            autoFocus
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={() => close(true)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <p className="course-count">{t('course.characters', { count: checked.characters, max })}</p>
    </div>
  )
}
