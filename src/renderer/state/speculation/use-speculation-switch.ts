import type { AppState } from '../app-state.ts'
import { useApp, useAppStore, useWords } from '../store-context.tsx'

/** Why no speculation runs although the user wants it. */
export type SpeculationHindrance = 'suggestions' | 'trust' | 'paused'

/** True where the user wants speculations, by the folder's own choice, else the app's. */
function isSpeculationOn({ settings, workSettings }: Pick<AppState, 'settings' | 'workSettings'>): boolean {
  return workSettings.value.enableSpeculation ?? settings.value.enableSpeculation
}

/** Returns why no speculation runs; null where the user wants none, or nothing keeps it from running. */
export function speculationHindrance(
  state: Pick<AppState, 'settings' | 'workSettings' | 'consent' | 'speculation'>,
): SpeculationHindrance | null {
  if (!isSpeculationOn(state)) return null
  const { settings, workSettings, consent, speculation } = state
  if (!(workSettings.value.enableFollowupSuggestions ?? settings.value.enableFollowupSuggestions))
    return 'suggestions'
  if (consent.trust?.isTrusted === false) return 'trust'
  return speculation.current.pause === null ? null : 'paused'
}

/** Returns what keeps speculations from running, in words, with the press that changes it; null where nothing does. */
export function useSpeculationHindrance() {
  const { t } = useWords()
  const store = useAppStore()
  const kind = useApp(speculationHindrance)
  const pause = useApp((state) => state.speculation.current.pause)
  if (kind === null) return null
  const act = (): void => {
    const { settings, workSettings, speculation, ui } = store.getState()
    if (kind === 'trust') ui.open({ kind: 'trust' })
    else if (kind === 'paused') void speculation.resume()
    else if (workSettings.value.enableFollowupSuggestions === false)
      void workSettings.update({ enableFollowupSuggestions: true })
    else void settings.update({ enableFollowupSuggestions: true })
  }
  const paused = pause === null ? '' : t('speculation.paused', pause)
  const text = kind === 'paused' ? paused : t(`speculation.needs.${kind}`)
  return { kind, text, label: t(`speculation.needs.${kind}.act`), act }
}

/** Turns speculations on or off, where that was chosen: in the folder, else in the app. */
export function useSpeculationSwitch() {
  const store = useAppStore()
  const isOn = useApp(isSpeculationOn)
  const toggle = (): void => {
    const { settings, workSettings } = store.getState()
    const isOfFolder = workSettings.value.enableSpeculation !== null
    void (isOfFolder ? workSettings : settings).update({ enableSpeculation: !isOn })
  }
  return { isOn, toggle }
}
