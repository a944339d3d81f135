import { useState } from 'react'
import { rubyProblem } from '../../../shared/text/manuscript/ruby.ts'
import { continueAt } from '../../state/continue-draft.ts'
import type { SeveralTakes } from '../../state/slices/work/runs-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** Asks for the reading of the selected word, or of the one at the caret. */
export function RubyDialog() {
  const { t } = useWords()
  const { editor } = useAppStore()
  const close = useApp((state) => state.ui.close)
  const [target] = useState(() => editor.current?.rubyTarget() ?? null)
  const [reading, setReading] = useState(target?.reading ?? '')
  const [isTried, setTried] = useState(false)
  if (target === null) return null
  const problem = rubyProblem(target.base, reading)
  const isMarked = target.reading !== null || target.isEmphasis

  const write = (notation: Parameters<NonNullable<typeof editor.current>['writeRuby']>[1]) => {
    editor.current?.writeRuby(target, notation)
    close()
  }
  const confirm = () => {
    if (reading === '' || problem !== null) return setTried(true)
    write({ kind: 'ruby', reading })
  }
  const error = problem ? t(`ruby.${problem}`) : isTried && reading === '' ? t('ruby.empty') : null
  return (
    <Dialog
      title={t('ruby.title')}
      size="small"
      footer={
        <>
          {isMarked && (
            <Button variant="quiet" onClick={() => write({ kind: 'none' })}>
              {t('ruby.remove')}
            </Button>
          )}
          {!target.isEmphasis && rubyProblem(target.base, '') !== 'signs' && (
            <Button onClick={() => write({ kind: 'emphasis' })}>{t('ruby.emphasis')}</Button>
          )}
          <Button variant="primary" onClick={confirm}>
            {t('ruby.write')}
          </Button>
        </>
      }
    >
      <Form className="ruby-form" onSubmit={confirm}>
        <p className="ruby-base" lang="ja">
          <ruby>
            {target.base}
            <rt>{reading}</rt>
          </ruby>
        </p>
        <TextField
          label={t('ruby.reading')}
          error={error}
          lang="ja"
          autoFocus
          autoComplete="off"
          value={reading}
          onChange={setReading}
        />
      </Form>
    </Dialog>
  )
}

/** Asks once where *Continue* goes on while the caret stands in the middle of a chapter. */
export function ContinueWhere({ options: { isEndless, takes } }: { options: SeveralTakes }) {
  const { t } = useWords()
  const store = useAppStore()
  const close = useApp((state) => state.ui.close)
  const updateDrafting = useApp((state) => state.settings.updateDrafting)
  const choose = (where: 'here' | 'end') => {
    close()
    void updateDrafting({ continueAt: where })
    continueAt(store, where, { ...(isEndless && { isEndless }), ...(takes && { takes }) })
    store.editor.current?.focus()
  }
  return (
    <Dialog
      title={t('continueWhere.title')}
      description={t('continueWhere.question')}
      size="small"
      footer={
        <>
          <Button onClick={() => choose('end')}>{t('continueWhere.end')}</Button>
          <Button variant="primary" onClick={() => choose('here')}>
            {t('continueWhere.here')}
          </Button>
        </>
      }
    >
      <p className="dialog-question">{t('continueWhere.hint')}</p>
    </Dialog>
  )
}
