import { type KeyboardEvent, useRef, useState } from 'react'
import type { CourseItem } from '../../../shared/domain/session/agent-course.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { type CourseValue, checkedText, editedText, editedValue, limitOf } from './course-text.ts'

type CourseEditorProps = {
  item: CourseItem
  name: string
  value: CourseValue
  /** Saves the value; false where that failed. */
  onWrite: (value: CourseValue) => Promise<boolean>
  onClose: () => void
}

/**
 * Edits an item, which is saved when it is confirmed or left. Text over the limit, and text that could not be saved,
 * stays open and says so.
 */
export function CourseEditor({ item, name, value, onWrite, onClose }: CourseEditorProps) {
  const { t, errorText } = useWords()
  const failure = useApp((app) => app.composer.failure)
  const [begun] = useState(value)
  const [text, setText] = useState(editedText(value))
  const isClosed = useRef(false)
  const [isSaving, setIsSaving] = useState(false)
  const [hasFailed, setHasFailed] = useState(false)
  const { characters: max, items } = limitOf(item)
  const checked = checkedText(item, text)
  const hint = items === null ? 'course.hint.line' : 'course.hint.lines'

  const close = async (isKept: boolean) => {
    if (isClosed.current || (isKept && checked.problem)) return
    isClosed.current = true
    const written = editedValue(checked.value, begun, value)
    if (isKept && written !== null) {
      setIsSaving(true)
      const isSaved = await onWrite(written)
      setIsSaving(false)
      setHasFailed(!isSaved)
      if (!isSaved) {
        isClosed.current = false
        return
      }
    }
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') void close(false)
    else if (event.key === 'Enter' && (items === null || event.ctrlKey || event.metaKey)) void close(true)
    else return
    event.preventDefault()
  }
  const reason = failure === null ? '' : errorText(failure)
  const problem =
    checked.problem === 'too-long'
      ? t('course.tooLong', { count: max })
      : checked.problem === 'too-many'
        ? t('course.tooMany', { items: items ?? 1 })
        : hasFailed && t('course.notSaved', { reason })
  return (
    <div className="course-editor">
      <Field
        label={t('course.edit', { item: name })}
        hint={t(hint, { count: max, items: items ?? 1 })}
        error={problem || null}
      >
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            rows={items ?? 2}
            // biome-ignore lint/a11y/noAutofocus: the user has just asked to write here
            autoFocus
            value={text}
            readOnly={isSaving}
            onChange={(event) => {
              setText(event.target.value)
              setHasFailed(false)
            }}
            onBlur={() => void close(true)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <p className="course-count">{t('course.characters', { count: checked.characters, max })}</p>
    </div>
  )
}
