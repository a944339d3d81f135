import './details-panel.css'
import {
  DialogueLevel,
  type DraftDetails,
  PromptLanguage,
  WorkRating,
} from '../../../shared/domain/draft-details.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { Field } from '../../ui/field.tsx'
import { TagInput } from '../../ui/tag-input.tsx'
import { FileLinks } from './file-links.tsx'
import { KeptText } from './kept-text.tsx'

type TextName = 'title' | 'synopsis' | 'setting' | 'plot' | 'authorsNote'

/** What the author says about the work; every field is kept as soon as typing rests. */
export function DetailsPanel() {
  const { t } = useWords()
  const details = useApp((state) => state.work.current?.details)
  const updateDetails = useApp((state) => state.work.updateDetails)
  if (!details) return null
  const update = (patch: Partial<DraftDetails>) => void updateDetails(patch)

  const text = (name: TextName) => (
    <Field label={t(`details.${name}`)} hint={t(`details.${name}.hint`)}>
      {(ids) => (
        <KeptText
          ids={ids}
          isLong={name !== 'title'}
          value={details[name]}
          onKeep={(value) => update({ [name]: value })}
        />
      )}
    </Field>
  )
  const tags = (name: 'keywords' | 'genres') => (
    <Field label={t(`details.${name}`)} hint={t(`details.${name}.hint`)}>
      {(ids) => (
        <TagInput
          ids={ids}
          tags={details[name]}
          removeLabel={(tag) => t('details.removeTag', { tag })}
          onChange={(value) => update({ [name]: value })}
        />
      )}
    </Field>
  )

  return (
    <form
      className="details-panel"
      aria-label={t('tab.details')}
      onSubmit={(event) => event.preventDefault()}
    >
      {text('title')}
      {tags('keywords')}
      {tags('genres')}
      {text('synopsis')}
      {text('setting')}
      {text('plot')}
      {text('authorsNote')}
      <FileLinks text={details.authorsNote} />
      <ChoiceField
        label={t('details.dialogueLevel')}
        value={details.dialogueLevel}
        options={DialogueLevel.options.map((value) => ({ value, label: t(`dialogue.${value}`) }))}
        onChange={(dialogueLevel) => update({ dialogueLevel })}
      />
      <ChoiceField
        label={t('details.rating')}
        value={details.rating}
        options={WorkRating.options.map((value) => ({ value, label: t(`rating.${value}`) }))}
        onChange={(rating) => update({ rating })}
      />
      <ChoiceField
        label={t('details.promptLanguage')}
        hint={t('details.promptLanguage.hint')}
        value={details.promptLanguage}
        options={PromptLanguage.options.map((value) => ({ value, label: t(`promptLanguage.${value}`) }))}
        onChange={(promptLanguage) => update({ promptLanguage })}
      />
    </form>
  )
}

/** Notes for the author alone. */
export function MemoPanel() {
  const { t } = useWords()
  const memo = useApp((state) => state.work.current?.details.memo)
  const updateDetails = useApp((state) => state.work.updateDetails)
  if (memo === undefined) return null
  return (
    <div className="memo-panel">
      <Field label={t('tab.memo')} hint={t('details.memo.hint')}>
        {(ids) => (
          <KeptText ids={ids} isLong value={memo} onKeep={(value) => void updateDetails({ memo: value })} />
        )}
      </Field>
      <FileLinks text={memo} />
    </div>
  )
}
