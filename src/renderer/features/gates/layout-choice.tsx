import { useApp, useWords } from '../../state/store-context.tsx'

const layouts = ['unified', 'side-by-side'] as const

/** How diffs are laid out; kept for every gate of this window. */
export function LayoutChoice() {
  const { t } = useWords()
  const { layout, setLayout } = useApp((state) => state.gates)
  return (
    <fieldset className="gate-layout">
      <legend className="visually-hidden">{t('gate.layout')}</legend>
      {layouts.map((one) => (
        <button key={one} type="button" aria-pressed={one === layout} onClick={() => setLayout(one)}>
          {t(`gate.layout.${one}`)}
        </button>
      ))}
    </fieldset>
  )
}
