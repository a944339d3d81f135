import type { SpeculationLinkState } from '../../../../shared/domain/session/speculation.ts'
import type { Translate } from '../../../../shared/i18n/translate.ts'
import { useWords } from '../../../state/store-context.tsx'

/** Beside the key that takes it: how much was done ahead. */
export function SpeculationMark({ link }: { link: SpeculationLinkState }) {
  const { t } = useWords()
  return <span className={link.phase === 'running' ? undefined : 'ahead-mark'}>{markText(t, link)}</span>
}

export function markText(t: Translate, { phase, files }: SpeculationLinkState): string {
  if (phase === 'running') return t('speculation.mark.running')
  const lines = files.reduce((sum, { addedLines, removedLines }) => sum + addedLines + removedLines, 0)
  const what =
    files.length === 0
      ? t('speculation.mark.answer')
      : [t('speculation.files', { count: files.length }), t('speculation.lines', { count: lines })].join(
          ' · ',
        )
  return t(phase === 'boundary' ? 'speculation.mark.boundary' : 'speculation.mark.done', { what })
}
