import type { IdeaItem } from '../../../shared/domain/drafting/draft-details.ts'
import { currentDetail } from '../../state/slices/work/detail-texts-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { TagInput } from '../../ui/fields/tag-input.tsx'
import { KeptText } from './kept-text.tsx'

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
