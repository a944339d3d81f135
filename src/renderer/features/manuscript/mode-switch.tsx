import { DraftMode } from '../../../shared/domain/work/draft-details.ts'
import { keysOfId } from '../../state/commands/commands.ts'
import { activeRun, isEndless } from '../../state/slices/work/runs-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Segmented } from '../../ui/segmented.tsx'

/** Above the text: whether *Continue* writes on or thinks up ideas. It rests while something is being written. */
export function ModeSwitch() {
  const { t } = useWords()
  const mode = useApp((state) => state.ideas.mode)
  const setMode = useApp((state) => state.ideas.setMode)
  const isBusy = useApp((state) => activeRun(state.runs) !== null || isEndless(state.runs))
  const keys = useApp((state) => keysOfId('draft.start', state)) ?? []
  return (
    <div className="draft-mode">
      <Segmented
        label={t('draftMode.label')}
        value={mode}
        isDisabled={isBusy}
        options={DraftMode.options.map((value) => ({ value, label: t(`draftMode.${value}`) }))}
        onChange={setMode}
      />
      <span className="draft-mode-hint">
        <Kbd keys={keys} /> {t(`draftMode.${mode}.hint`)}
      </span>
    </div>
  )
}
