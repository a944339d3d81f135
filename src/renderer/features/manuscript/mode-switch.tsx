import { DraftMode } from '../../../shared/domain/drafting/draft-details.ts'
import { commands, keysOfId } from '../../state/commands/commands.ts'
import { activeRun, isEndless } from '../../state/slices/work/runs-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Kbd } from '../../ui/kbd.tsx'

/**
 * Above the text: whether *Continue* writes on or thinks up ideas, and *Continue* itself. Both are disabled while
 * something is being written.
 */
export function ModeSwitch() {
  const { t } = useWords()
  const store = useAppStore()
  const mode = useApp((state) => state.ideas.mode)
  const setMode = useApp((state) => state.ideas.setMode)
  const isBusy = useApp((state) => activeRun(state.runs) !== null || isEndless(state.runs))
  const keys = useApp((state) => keysOfId('draft.start', state)) ?? []
  const start = commands.find(({ id }) => id === 'draft.start')
  const isOffered = useApp((state) => start?.isEnabled(state) ?? false)
  return (
    <div className="draft-mode">
      <Segmented
        label={t('draftMode.label')}
        value={mode}
        isDisabled={isBusy}
        options={DraftMode.options.map((value) => ({ value, label: t(`draftMode.${value}`) }))}
        onChange={setMode}
      />
      <Button
        look="quiet"
        disabled={!isOffered}
        // The caret says where the text goes on: it stays.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => start?.run(store)}
      >
        {t(`draftMode.${mode}.start`)} <Kbd keys={keys} />
      </Button>
    </div>
  )
}
