import './publishing.css'
import { useEffect, useState } from 'react'
import {
  blankLineRules,
  ExportFormat,
  type ManuscriptText,
  sitesFor,
} from '../../../shared/domain/work/publishing.ts'
import { siteCount } from '../../../shared/text/manuscript/site-text.ts'
import { displayName, languageIn } from '../../state/reducers/work-reducer.ts'
import { type DiceChoices, diceOf, joined } from '../../state/slices/work/publishing-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField, ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** The options for exporting the work, or one chapter of it; the place is picked afterwards. */
export function ExportDialog({ path }: { path: string | null }) {
  const { t } = useWords()
  const { open, close } = useApp((state) => state.ui)
  const language = useApp((state) => languageIn(state.work.current, path))
  const { texts, exportOptions: options, load, setExport } = useApp((state) => state.publishing)
  useEffect(() => void load(path), [load, path])
  const hasPages = options.format === 'docx' || options.format === 'epub'

  return (
    <Dialog
      title={path === null ? t('export.title') : t('export.titleChapter', { name: displayName(path) })}
      description={t('export.hint')}
      size="medium"
      footer={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            variant="primary"
            autoFocus
            onClick={() => {
              close()
              const isFolder = options.isPerChapter && path === null
              open({ kind: 'picker', purpose: isFolder ? 'export-chapters' : 'export-text' })
            }}
          >
            {t('export.place')}
          </Button>
        </>
      }
    >
      <div className="publish">
        <Segmented
          label={t('export.format')}
          value={options.format}
          options={ExportFormat.options.map((value) => ({ value, label: t(`export.format.${value}`) }))}
          onChange={(format) => setExport({ format })}
        />
        {path === null && (
          <CheckField
            label={t('export.perChapter')}
            value={options.isPerChapter}
            onChange={(isPerChapter) => setExport({ isPerChapter })}
          />
        )}
        {hasPages && (
          <CheckField
            label={t('export.vertical')}
            value={options.isVertical}
            onChange={(isVertical) => setExport({ isVertical })}
          />
        )}
        {options.format === 'txt' && (
          <>
            <ChoiceField
              label={t('export.notation')}
              value={options.site}
              options={sitesFor(language).map((value) => ({ value, label: t(`publish.site.${value}`) }))}
              onChange={(site) => setExport({ site })}
            />
            <ChoiceField
              label={t('publish.blankLines')}
              value={options.blankLines}
              options={blankLineRules.map((value) => ({ value, label: t(`publish.blankLines.${value}`) }))}
              onChange={(blankLines) => setExport({ blankLines })}
            />
          </>
        )}
        <TextField
          label={t('export.author')}
          layout="row"
          value={options.author}
          onChange={(author) => setExport({ author })}
        />
        {texts !== null && (
          <DiceFields texts={texts} dice={options.dice} onChange={(dice) => setExport({ dice })} />
        )}
      </div>
    </Dialog>
  )
}

const shownChars = 4_000

/** A chapter, or the work, in the form that a site takes: the choices, the result, and the button that copies it. */
export function PostDialog({ path }: { path: string | null }) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  const workName = useApp((state) => state.work.current?.name ?? '')
  const language = useApp((state) => languageIn(state.work.current, path))
  const { texts, site, load, choose, blankLines, copy } = useApp((state) => state.publishing)
  const [dice, setDice] = useState<DiceChoices>({})
  // A press that came before the texts were read.
  const [isDue, setIsDue] = useState(false)
  useEffect(() => void load(path), [load, path])
  useEffect(() => {
    if (!isDue || texts === null) return
    setIsDue(false)
    void copy(texts, dice).then((isDone) => isDone && close())
  }, [isDue, texts, dice, copy, close])

  const text = texts === null ? '' : joined(texts, site, blankLines, dice)
  const count = texts?.reduce((sum, one) => sum + siteCount(one.text, dice), 0) ?? 0
  return (
    <Dialog
      title={t('publish.title', { name: path === null ? workName : displayName(path) })}
      description={t('publish.hint')}
      size="medium"
      footer={
        <>
          <span className="grow dim">{texts !== null && t(`publish.count.${site}`, { count })}</span>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button variant="primary" onClick={() => setIsDue(true)}>
            {t('publish.copy')}
          </Button>
        </>
      }
    >
      <div className="publish">
        <Segmented
          label={t('publish.site')}
          value={site}
          options={sitesFor(language).map((value) => ({ value, label: t(`publish.site.${value}`) }))}
          onChange={(next) => choose(next)}
        />
        <ChoiceField
          label={t('publish.blankLines')}
          value={blankLines}
          options={blankLineRules.map((value) => ({ value, label: t(`publish.blankLines.${value}`) }))}
          onChange={(next) => choose(site, next)}
        />
        {texts !== null && <DiceFields texts={texts} dice={dice} onChange={setDice} />}
        <textarea
          className="publish-text"
          readOnly
          rows={12}
          aria-label={t('publish.preview')}
          value={text.length > shownChars ? `${text.slice(0, shownChars)}…` : text}
        />
      </div>
    </Dialog>
  )
}

type DiceFieldsProps = {
  texts: readonly ManuscriptText[]
  dice: DiceChoices
  onChange: (dice: DiceChoices) => void
}

/** The choice for each die that readers get; the first option where nothing was chosen. */
function DiceFields({ texts, dice, onChange }: DiceFieldsProps) {
  const { t } = useWords()
  const found = diceOf(texts)
  if (found.length === 0) return null
  return (
    <fieldset className="publish-dice">
      <legend className="label">{t('publish.dice')}</legend>
      {found.map(({ source, options }) => (
        <ChoiceField
          key={source}
          label={source}
          value={dice[source] ?? options[0] ?? ''}
          options={options.map((option) => ({ value: option, label: option }))}
          onChange={(value) => onChange({ ...dice, [source]: value })}
        />
      ))}
    </fieldset>
  )
}
