import './details-panel.css'
import {
  DialogueLevel,
  type DraftDetails,
  IdeaItem,
  PromptForm,
  PromptLanguage,
  WorkRating,
} from '../../../shared/domain/drafting/draft-details.ts'
import { PageChoice } from '../../../shared/domain/work/work-file.ts'
import { isWholeName, typedReferences } from '../../../shared/text/paths/file-references.ts'
import { chosenPage, displayName } from '../../state/reducers/work-reducer.ts'
import { currentDetail } from '../../state/slices/work/detail-texts-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { ChoiceField, optionsOf } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { DetailField, KeptText } from './detail-field.tsx'

/** The details of the work; each field is saved when the author pauses. */
export function DetailsPanel() {
  const { t } = useWords()
  const details = useApp((state) => state.work.current?.details)
  const authorsNote = useApp((state) => currentDetail(state, 'authorsNote'))
  const updateDetails = useApp((state) => state.work.updateDetails)
  if (!details) return null
  const update = (patch: Partial<DraftDetails>) => void updateDetails(patch)

  return (
    <Form className="details-panel" aria-label={t('tab.details')}>
      {[...IdeaItem.options, 'authorsNote' as const].map((name) => (
        <DetailField key={name} name={name} />
      ))}
      <FileLinks text={authorsNote} />
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
      <ChoiceField
        label={t('details.promptForm')}
        hint={t(`promptForm.${details.promptForm}.hint`)}
        value={details.promptForm}
        options={PromptForm.options.map((value) => ({ value, label: t(`promptForm.${value}`) }))}
        onChange={(promptForm) => update({ promptForm })}
      />
      <PageField />
    </Form>
  )
}

/** The choice of a page for the open text alone. */
function PageField() {
  const { t } = useWords()
  const setPage = useApp((state) => state.work.setPage)
  const path = useApp((state) => state.documents.activePath)
  const page = useApp(({ work }) => chosenPage(work.current, path))
  if (path === null) return null
  return (
    <ChoiceField
      label={t('details.page', { name: displayName(path) })}
      hint={t('details.page.hint')}
      value={page ?? 'settings'}
      options={optionsOf(['settings', ...PageChoice.options], (value) => t(`details.page.${value}`))}
      onChange={(chosen) => void setPage(path, chosen === 'settings' ? null : chosen)}
    />
  )
}

/** Notes for the author alone. */
export function MemoPanel() {
  const { t } = useWords()
  const root = useApp((state) => state.work.current?.root)
  const memo = useApp((state) => currentDetail(state, 'memo'))
  if (root === undefined) return null
  return (
    <div className="memo-panel">
      <Field label={t('tab.memo')} hint={t('details.memo.hint')}>
        {(ids) => <KeptText key={root} ids={ids} isLong root={root} name="memo" value={memo} />}
      </Field>
      <FileLinks text={memo} />
    </div>
  )
}

/** The files that a field names with `@`, to be opened. Nothing of them goes to a model. */
function FileLinks({ text }: { text: string }) {
  const { t } = useWords()
  const store = useAppStore()
  const files = useApp((state) => state.work.current?.files)
  const paths = linkedFiles(
    text,
    (files ?? []).filter((file) => file.kind !== 'folder').map((file) => file.path),
  )
  if (paths.length === 0) return null
  return (
    <ul className="file-links" aria-label={t('reference.links')}>
      {paths.map((path) => (
        <li key={path}>
          <button type="button" className="file-link" onClick={() => store.getState().documents.goTo(path)}>
            @{path}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Returns each file once, in the order of the text. Text that runs on behind a name (`@章.mdを`) is no part of it. */
export function linkedFiles(text: string, files: readonly string[]): string[] {
  const found = typedReferences(text).flatMap(({ path, run }) => {
    const named = (run ?? path).normalize('NFC')
    const fits = files.filter((file) => {
      const name = file.normalize('NFC')
      return run === null
        ? named === name
        : named.startsWith(name) && isWholeName(name, named.slice(name.length))
    })
    const longest = fits.reduce((best, file) => (file.length > best.length ? file : best), '')
    return longest === '' ? [] : [longest]
  })
  return [...new Set(found)]
}
