import type { ComponentProps } from 'react'
import type { SpeculationLinkState } from '../../../../shared/domain/session/speculation.ts'
import { durationText } from '../../../../shared/i18n/figure-text.ts'
import { speculatedWork } from '../../../../shared/i18n/speculated-work.ts'
import type { Translate } from '../../../../shared/i18n/translate.ts'
import { useSpeculationSwitch } from '../../../state/speculation/use-speculation-switch.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { PlainButton } from '../../../ui/button.tsx'

/** Shows how much a speculation has done, beside the key that accepts it. */
export function SpeculationMark({ link }: { link: SpeculationLinkState }) {
  const { t } = useWords()
  return (
    <span className={link.phase === 'running' ? undefined : 'speculation-mark'}>{markText(t, link)}</span>
  )
}

/** Says what acceptance does next and what the speculation cost, and opens it for reading. */
export function SpeculationNext({ link }: { link: SpeculationLinkState }) {
  const { t } = useWords()
  const next = nextText(t, link)
  return (
    <>
      {next !== null && <span className="ghost-key">{next}</span>} <PreviewButton link={link} />
    </>
  )
}

export function SpeculationSwitch() {
  const { t } = useWords()
  const { isOn, toggle } = useSpeculationSwitch()
  return (
    <GhostButton
      role="switch"
      aria-checked={isOn}
      aria-label={t('speculation.strip')}
      title={t('speculation.on')}
      onClick={toggle}
    >
      {t(isOn ? 'speculation.switch.on' : 'speculation.switch.off')}
    </GhostButton>
  )
}

/** The button that opens a speculation for reading, which writes nothing. */
function PreviewButton({ link }: { link: SpeculationLinkState }) {
  const { t } = useWords()
  const { preview, togglePreview } = useApp((state) => state.speculation)
  const isOpen = preview?.speculationId === link.speculationId
  return (
    <GhostButton aria-expanded={isOpen} onClick={() => togglePreview(link.speculationId)}>
      {t(isOpen ? 'speculation.preview.close' : 'speculation.preview.open')}
    </GhostButton>
  )
}

export function markText(t: Translate, link: SpeculationLinkState): string {
  if (link.phase === 'running') return t('speculation.mark.running')
  const what = speculatedWork(t, link)
  return t(link.phase === 'boundary' ? 'speculation.mark.boundary' : 'speculation.mark.done', { what })
}

/** Returns what acceptance does next, and what the finished work cost; null as long as neither is known. */
export function nextText(t: Translate, { phase, onAccept, cost }: SpeculationLinkState): string | null {
  if (onAccept === null) return null
  const next = t(`speculation.mark.next.${onAccept}`)
  if (phase === 'running') return next
  const tokens = cost.promptTokens + cost.completionTokens
  return t('speculation.mark.cost', { next, tokens, time: durationText(t, cost.ms) })
}

/** A button of the hints, which leaves the focus in the box. */
export function GhostButton(props: ComponentProps<'button'>) {
  return <PlainButton className="ghost-take" onMouseDown={(event) => event.preventDefault()} {...props} />
}
