import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Kbd } from '../../ui/kbd.tsx'

/** The toolbar above the vertical view: scrolls or turns pages, and leads back to the editor. */
export function VerticalBar() {
  const { t } = useWords()
  const mode = useApp((state) => state.settings.value.editor.verticalMode)
  const update = useApp((state) => state.settings.update)
  const showVertical = useApp((state) => state.writing.showVertical)
  return (
    <div className="vertical-bar">
      <Segmented
        label={t('vertical.label')}
        value={mode}
        options={(['continuous', 'paged'] as const).map((value) => ({
          value,
          label: t(`vertical.${value}`),
        }))}
        onChange={(verticalMode) => void update({ editor: { verticalMode } })}
      />
      <span className="grow" />
      <Button look="quiet" onClick={() => showVertical(false)}>
        {t('vertical.close')} <Kbd keys={['Esc']} />
      </Button>
    </div>
  )
}
