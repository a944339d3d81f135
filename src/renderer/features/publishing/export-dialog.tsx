import './publishing.css'
import { useEffect } from 'react'
import { blankLineRules, ExportFormat, sitesFor } from '../../../shared/domain/work/publishing.ts'
import { displayName, languageIn } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField, ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DiceFields } from './dice-fields.tsx'

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
      closeLabel={t('action.close')}
      size="medium"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            look="primary"
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
        <Field label={t('export.author')} layout="row">
          {(ids) => (
            <input
              {...ids}
              className="input"
              value={options.author}
              onChange={(event) => setExport({ author: event.target.value })}
            />
          )}
        </Field>
        {texts !== null && (
          <DiceFields texts={texts} dice={options.dice} onChange={(dice) => setExport({ dice })} />
        )}
      </div>
    </Dialog>
  )
}
