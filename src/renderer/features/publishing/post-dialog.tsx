import './publishing.css'
import { useEffect, useState } from 'react'
import { blankLineRules, sitesFor } from '../../../shared/domain/work/publishing.ts'
import { siteCount } from '../../../shared/text/manuscript/site-text.ts'
import { displayName, languageIn } from '../../state/reducers/work-reducer.ts'
import { type DiceChoices, joined } from '../../state/slices/work/publishing-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DiceFields } from './dice-fields.tsx'

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
      closeLabel={t('action.close')}
      size="medium"
      onClose={close}
      footer={
        <>
          <span className="grow dim">{texts !== null && t(`publish.count.${site}`, { count })}</span>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button look="primary" onClick={() => setIsDue(true)}>
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
