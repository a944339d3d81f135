import { type KeyboardEvent, useId, useRef, useState } from 'react'
import type { CourseItem } from '../../../shared/domain/session/agent-course.ts'
import type { SessionState } from '../../../shared/domain/session/session.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton, PlainButton } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import {
  type CourseValue,
  checkedText,
  editedText,
  editedValue,
  limitOf,
  proposalFor,
} from './course-text.ts'

type CourseEntryProps = {
  item: CourseItem
  state: SessionState
  /** True: the entry opens for writing. */
  isNew: boolean
  onClose: () => void
}

/** One of the five items, which the user reads, edits in place and pins; the model's proposal stands below. */
export function CourseEntry({ item, state, isNew, onClose }: CourseEntryProps) {
  const { t } = useWords()
  const editCourse = useApp((app) => app.conversation.editCourse)
  const [isEditing, setIsEditing] = useState(isNew)
  const id = useId()
  const name = t(`course.${item}`)
  const isPinned = state.pinned.includes(item)
  const value = state.course[item]
  const write = (next: CourseValue) => editCourse({ kind: 'write', item, value: next })

  return (
    <section className="course-entry" aria-label={name}>
      <div className="row course-head">
        <h3 className="label">{name}</h3>
        {isPinned && (
          <span className="course-pinned" title={t('course.pinned.hint')}>
            {t('course.pinned')}
          </span>
        )}
        <span id={`${id}-edit`} hidden>
          {t('course.edit', { item: name })}
        </span>
        <span className="grow" />
        <IconButton
          icon="pin"
          className="course-pin"
          label={t(isPinned ? 'course.unpin' : 'course.pin', { item: name })}
          aria-pressed={isPinned}
          onClick={() => void editCourse({ kind: isPinned ? 'unpin' : 'pin', item })}
        />
      </div>
      {isEditing ? (
        <CourseEditor
          item={item}
          name={name}
          value={value}
          onWrite={write}
          onClose={() => {
            setIsEditing(false)
            onClose()
          }}
        />
      ) : (
        <PlainButton
          id={`${id}-value`}
          className="course-value"
          aria-labelledby={`${id}-edit ${id}-value`}
          onClick={() => setIsEditing(true)}
        >
          {item === 'planBrief' && state.todos.length > 0 ? <Todos state={state} /> : <Value value={value} />}
        </PlainButton>
      )}
      {!isEditing && item === 'openQuestions' && <Answers questions={state.course.openQuestions} />}
      {!isEditing && <Proposal item={item} state={state} onTake={(next) => void write(next)} />}
    </section>
  )
}

function Value({ value }: { value: CourseValue }) {
  const { t } = useWords()
  if (value.length === 0) return <span className="dim">{t('course.empty')}</span>
  if (typeof value === 'string') return value
  return value.map((line) => <span key={line}>{line}</span>)
}

/** The plan with what is done, and the step that it is at. */
function Todos({ state: { todos, planTitle } }: { state: SessionState }) {
  const { t } = useWords()
  const now = todos.findIndex((todo) => !todo.isDone)
  return (
    <>
      {planTitle !== null && planTitle !== '' && <span>{planTitle}</span>}
      {todos.map((todo, at) => {
        const key = `${at} ${todo.text}`
        const mark = todo.isDone ? t('course.todo.done') : at === now ? t('course.todo.now') : null
        return (
          <span key={key} className={todo.isDone ? 'course-todo course-todo-done' : 'course-todo'}>
            <span className="course-number">{at + 1}</span>
            <span className="grow">{todo.text}</span>
            {mark && (
              <span className={at === now ? 'course-mark course-mark-now' : 'course-mark'}>{mark}</span>
            )}
          </span>
        )
      })}
    </>
  )
}

/** Buttons that begin the answer to each open question in the message box. */
function Answers({ questions }: { questions: readonly string[] }) {
  const { t } = useWords()
  const putBack = useApp((app) => app.composer.putBack)
  if (questions.length === 0) return null
  return (
    <div className="row">
      {questions.map((question) => (
        <Button
          key={question}
          variant="quiet"
          className="course-answer"
          aria-label={t('course.answer', { question })}
          title={question}
          onClick={() => putBack([{ kind: 'text', text: t('course.answer.start', { question }) }])}
        >
          {t('course.answer', { question })}
        </Button>
      ))}
    </div>
  )
}

type ProposalProps = Pick<CourseEntryProps, 'item' | 'state'> & { onTake: (value: CourseValue) => void }

function Proposal({ item, state, onTake }: ProposalProps) {
  const { t } = useWords()
  const items = useApp((app) => app.conversation.current?.items ?? none)
  const [left, setLeft] = useState<string | null>(null)
  const proposal = proposalFor(items, state.course, state.pinned, item)
  if (proposal === null || proposal.itemId === left) return null
  return (
    <div className="course-proposal" role="status">
      <p className="label">{t('course.proposed')}</p>
      <p className="pre course-proposed">{editedText(proposal.value)}</p>
      <div className="row">
        <Button onClick={() => onTake(proposal.value)}>{t('course.take')}</Button>
        <Button variant="quiet" onClick={() => setLeft(proposal.itemId)}>
          {t('course.leave')}
        </Button>
      </div>
    </div>
  )
}

const none: never[] = []

type CourseEditorProps = {
  item: CourseItem
  name: string
  value: CourseValue
  /** Saves the value; false where that failed. */
  onWrite: (value: CourseValue) => Promise<boolean>
  onClose: () => void
}

/** Edits an item; saved when it is confirmed or left. Text that is too long or not saved stays open. */
function CourseEditor({ item, name, value, onWrite, onClose }: CourseEditorProps) {
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
