import { type KeyboardEvent, useEffect } from 'react'
import type { IdeaItem } from '../../../shared/domain/drafting/draft-details.ts'
import type { DetailName } from '../../state/slices/work/detail-texts-slice.ts'
import { currentDetail } from '../../state/slices/work/detail-texts-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Field, type FieldIds } from '../../ui/fields/field.tsx'
import { TagInput } from '../../ui/fields/tag-input.tsx'

/** One field of the details; it lights up for a moment when an idea was put into it. */
export function DetailField({ name, hasHint = true }: { name: IdeaItem | 'authorsNote'; hasHint?: boolean }) {
  const { t } = useWords()
  const details = useApp((state) => state.work.current?.details)
  const workName = useApp((state) => state.work.current?.name ?? '')
  const workId = useApp((state) => state.work.current?.workId)
  const root = useApp((state) => state.work.current?.root ?? '')
  const text = useApp((state) => (name === 'keywords' || name === 'genres' ? '' : currentDetail(state, name)))
  const updateDetails = useApp((state) => state.work.updateDetails)
  const filled = useApp((state) => state.ideas.filled)
  if (!details) return null
  const isFilled = filled.items.some((item) => item === name)
  return (
    // A new key starts the light again, and a field of another work.
    <div
      key={`${workId} ${isFilled ? filled.count : 0}`}
      className={isFilled ? 'detail-field detail-filled' : 'detail-field'}
    >
      <Field label={t(`details.${name}`)} hint={hasHint ? t(`details.${name}.hint`) : undefined}>
        {(ids) =>
          name === 'keywords' || name === 'genres' ? (
            <TagInput
              ids={ids}
              tags={details[name]}
              removeLabel={(tag) => t('details.removeTag', { tag })}
              onChange={(change) => updateDetails((now) => ({ [name]: change(now[name]) }), workId)}
            />
          ) : (
            <KeptText
              ids={ids}
              isLong={name !== 'title'}
              root={root}
              name={name}
              value={text}
              {...(name === 'title' ? { placeholder: workName } : {})}
            />
          )
        }
      </Field>
    </div>
  )
}

type KeptTextProps = {
  ids: FieldIds
  isLong: boolean
  root: string
  name: DetailName
  value: string
  placeholder?: string
}

/**
 * A text field that is saved when typing pauses, when it is left, and before a command's key. What is typed is kept by
 * the window until the host has it; changes from elsewhere wait until then.
 */
export function KeptText({ ids, isLong, root, name, value, placeholder }: KeptTextProps) {
  const write = useApp((state) => state.detailTexts.write)
  const flush = useApp((state) => state.detailTexts.flush)
  useEffect(() => flush, [flush])

  const shared = {
    ...ids,
    placeholder,
    value,
    onChange: (event: { target: { value: string } }) => write(root, name, event.target.value),
    onBlur: flush,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) flush()
    },
  }
  return isLong ? (
    <textarea className="textarea" rows={3} {...shared} />
  ) : (
    <input className="input" {...shared} />
  )
}
