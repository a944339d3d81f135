import './settings.css'
import type { ReactNode } from 'react'
import type { SettingsSection } from '../../state/slices/ui-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { DraftingSection } from './drafting-section.tsx'
import { EditorSection } from './editor-section.tsx'
import { GeneralSection } from './general-section.tsx'
import { SamplerSection } from './sampler-section.tsx'
import { ShortcutsSection } from './shortcuts-section.tsx'

type SettingsDialogProps = {
  section: SettingsSection
  models: ReactNode
  suggestions: ReactNode
  rules: ReactNode
  tools: ReactNode
}

/** All settings; each choice is stored at once. */
export function SettingsDialog({ section, models, suggestions, rules, tools }: SettingsDialogProps) {
  const { t } = useWords()
  const open = useApp((state) => state.ui.open)
  const pages: { value: SettingsSection; content: ReactNode }[] = [
    { value: 'general', content: <GeneralSection /> },
    { value: 'editor', content: <EditorSection /> },
    { value: 'models', content: models },
    { value: 'suggestions', content: suggestions },
    { value: 'sampler', content: <SamplerSection /> },
    { value: 'drafting', content: <DraftingSection /> },
    { value: 'shortcuts', content: <ShortcutsSection /> },
    { value: 'rules', content: rules },
    { value: 'tools', content: tools },
  ]
  return (
    <Dialog title={t('settings.title')} size="large">
      <Tabs
        label={t('settings.title')}
        orientation="side"
        value={section}
        onChange={(next) => open({ kind: 'settings', section: next })}
        tabs={pages.map(({ value, content }) => ({
          value,
          label: t(`settings.${value}`),
          content: <div className="settings-page">{content}</div>,
        }))}
      />
    </Dialog>
  )
}
