import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { readyModel } from '../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow, until } from '../../../../tests/fakes/window-host/open-window.ts'
import {
  type DraftSettings,
  defaultDraftSettings,
  type FitMode,
} from '../../../shared/domain/drafting/draft-settings.ts'
import type { ModelStatus } from '../../../shared/domain/model/model-status.ts'
import { createTranslate, type Language, type MessageKey } from '../../../shared/i18n/translate.ts'
import type { AppStore } from '../../state/app-store.ts'
import { StoreProvider } from '../../state/store-context.tsx'
import { DraftingSection } from './drafting-section.tsx'

/** The presets of rewriting have a list of their own, where a text is rewritten. */
type SettingName = Exclude<keyof DraftSettings, 'rewrites'>

/** The label of each setting. */
const labels: Record<SettingName, MessageKey> = {
  continueAt: 'drafting.continueAt',
  followingText: 'drafting.followingText',
  fitMode: 'drafting.fitMode',
  stepChars: 'drafting.step',
  offsetChars: 'drafting.offset',
  maxBodyChars: 'drafting.maxBody',
  outputTokensGenerate: 'drafting.outputTokens',
  outputTokensIdea: 'drafting.outputTokensIdea',
  ideaSamplerPresetId: 'sampler.preset',
  promptOrder: 'drafting.order',
  noteHeader: 'drafting.noteHeader',
  defaultRating: 'drafting.rating',
  extendedCompleteness: 'drafting.completeness',
  limitBodyToOpenFile: 'drafting.openFileOnly',
  banEosToken: 'drafting.banEos',
  marksUncertain: 'drafting.uncertain',
  stopSequences: 'drafting.stops',
  bannedPhrases: 'drafting.banned',
  loreScanChars: 'drafting.loreScan',
  loreBudgetPercent: 'drafting.loreBudget',
  storyBudgetPercent: 'drafting.storyBudget',
  loreRecursion: 'drafting.loreRecursion',
  transferMode: 'drafting.transferMode',
  transferBlankLines: 'drafting.blankLines',
  endlessGenerate: 'drafting.endless',
  endlessIdea: 'drafting.endless',
}

/** The default in the words of the form. */
function defaultText(name: SettingName, t: ReturnType<typeof createTranslate>): string {
  const value = defaultDraftSettings[name]
  if (typeof value === 'number') return t('settings.number', { value })
  if (typeof value === 'boolean') return t(value ? 'settings.on' : 'settings.off')
  if (name === 'ideaSamplerPresetId') return t('drafting.ideaSampler.same')
  if (Array.isArray(value)) return t('settings.none')
  const prefix = name === 'defaultRating' ? 'rating' : labels[name]
  return t(`${prefix}.${value}` as MessageKey)
}

it.each(['ja', 'en'] as const)(
  'every setting has its field, what it does and its default (%s)',
  async (language) => {
    const fields = new Map<string, string[]>()
    for (const fitMode of ['auto', 'char_trim'] as const) {
      for (const [label, note] of await shownFields(language, fitMode)) {
        fields.set(label, [...(fields.get(label) ?? []), note])
      }
    }
    const t = createTranslate(language)
    for (const name of Object.keys(labels) as SettingName[]) {
      const notes = fields.get(t(labels[name])) ?? []
      const told = t('settings.default', { value: defaultText(name, t) })
      expect(notes, name).toContainEqual(expect.stringContaining(told))
      // More than the default is said: what it does.
      expect(Math.max(...notes.map((note) => note.length - told.length)), name).toBeGreaterThan(3)
    }
  },
)

it('fits by the step and the offset, or by a limit of characters', async () => {
  const t = createTranslate('ja')
  const trimmed = (await shownFields('ja', 'char_trim')).map(([label]) => label)
  expect(trimmed).toContain(t('drafting.maxBody'))
  expect(trimmed).not.toContain(t('drafting.step'))
})

it('says where the model’s server bans neither phrases nor an end', async () => {
  const t = createTranslate('ja')
  const notes = new Map(
    await shownFields('ja', 'auto', { ...readyModel, canBanPhrases: false, canBanEnd: false }),
  )
  expect(notes.get(t('drafting.banned'))).toContain(t('drafting.banned.cannot'))
  expect(notes.get(t('drafting.banEos'))).toContain(t('drafting.banEos.cannot'))
})

it('says that it is not known whether phrases can be banned while the model’s server does not answer', async () => {
  const t = createTranslate('ja')
  const { canBanPhrases: _, ...model } = readyModel
  const notes = new Map(await shownFields('ja', 'auto', { ...model, state: 'unreachable' }))
  expect(notes.get(t('drafting.banned'))).toContain(t('drafting.banned.unknown'))
})

/** The labels of the form with the line under each. */
async function shownFields(
  language: Language,
  fitMode: FitMode,
  model: ModelStatus = readyModel,
): Promise<[string, string][]> {
  const { host, store } = await openWindow()
  host.setModel(model)
  await until(() => store.getState().models.status.state === model.state)
  await store.getState().settings.update({ language })
  await store.getState().settings.updateDrafting({ fitMode })
  // Rendering without a page reads the state that the store began with.
  store.getInitialState = store.getState
  const html = renderToStaticMarkup(createElement(Shown, { store }))
  return html
    .split('<div class="field ')
    .slice(1)
    .map((field) => [
      textOf(/<label[^>]*>(.*?)<\/label>/s.exec(field)?.[1]),
      textOf(/<p[^>]*class="field-note"[^>]*>(.*?)<\/p>/s.exec(field)?.[1]),
    ])
}

function Shown({ store }: { store: AppStore }) {
  return StoreProvider({ store, children: createElement(DraftingSection) })
}

function textOf(html = ''): string {
  const signs: Record<string, string> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#x27;': "'",
    '&amp;': '&',
  }
  return html.replace(/<[^>]+>/g, '').replace(/&(lt|gt|quot|#x27|amp);/g, (sign) => signs[sign] ?? sign)
}
