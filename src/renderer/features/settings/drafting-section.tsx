import {
  ContinueAt,
  type DraftSettings,
  defaultDraftSettings,
  EndlessPrompt,
  FitMode,
  FollowingText,
  TransferMode,
} from '../../../shared/domain/drafting/draft-settings.ts'
import type { MessageKey } from '../../../shared/i18n/translate.ts'
import { presetName } from '../../state/slices/models-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { LinesField, settingFields } from './setting-fields.tsx'

/** How prompts are built, fitted and joined. */
export function DraftingSection() {
  return (
    <div className="settings-list">
      <FitSettings />
      <PromptSettings />
      <LoreSettings />
      <OutputSettings />
      <IdeaSettings />
      <TransferSettings />
    </div>
  )
}

function useDraftFields() {
  const { t } = useWords()
  const drafting = useApp((state) => state.settings.value.drafting)
  const update = useApp((state) => state.settings.updateDrafting)
  const change = (patch: Partial<DraftSettings>) => void update(patch)
  /** Returns the hint of a setting: what it does, and its default. */
  const hintOf = (name: keyof DraftSettings, hint: MessageKey, keyOf?: (option: never) => MessageKey) => {
    const value = defaultDraftSettings[name]
    const text =
      typeof value === 'number'
        ? t('settings.number', { value })
        : typeof value === 'boolean'
          ? t(value ? 'settings.on' : 'settings.off')
          : t(keyOf === undefined ? 'settings.none' : keyOf(value as never))
    return t('settings.sentences', { first: t(hint), second: t('settings.default', { value: text }) })
  }
  return { t, drafting, hintOf, change, ...settingFields({ t, value: drafting, onChange: change, hintOf }) }
}

function FitSettings() {
  const { t, drafting, hintOf, change, figure, check } = useDraftFields()
  const isDynamic = drafting.fitMode === 'token_dynamic' || drafting.fitMode === 'auto'
  const keyOf = (mode: FitMode) => `drafting.fitMode.${mode}` as const
  return (
    <>
      <h3 className="label">{t('drafting.fit')}</h3>
      <ChoiceField
        label={t('drafting.fitMode')}
        hint={hintOf('fitMode', `drafting.fitMode.${drafting.fitMode}.hint`, keyOf)}
        value={drafting.fitMode}
        options={FitMode.options.map((value) => ({ value, label: t(keyOf(value)) }))}
        onChange={(fitMode) => change({ fitMode })}
      />
      {isDynamic && figure('stepChars', 'drafting.step', { min: 1, max: 5000 })}
      {isDynamic && figure('offsetChars', 'drafting.offset', { min: 0, max: 100_000 })}
      {drafting.fitMode === 'char_trim' &&
        figure('maxBodyChars', 'drafting.maxBody', { min: 1, max: 1_000_000 })}
      {check('limitBodyToOpenFile', 'drafting.openFileOnly')}
    </>
  )
}

function PromptSettings() {
  const { t, check, choice } = useDraftFields()
  const orders = ['reference_first', 'text_first'] as const
  return (
    <>
      <h3 className="label">{t('drafting.prompt')}</h3>
      {choice('promptOrder', 'drafting.order', orders, (order) => `drafting.order.${order}`)}
      {choice(
        'noteHeader',
        'drafting.noteHeader',
        ['default', 'legacy'],
        (one) => `drafting.noteHeader.${one}`,
      )}
      {choice('defaultRating', 'drafting.rating', ['general', 'r18'], (rating) => `rating.${rating}`)}
      {check('extendedCompleteness', 'drafting.completeness')}
    </>
  )
}

/** How entries of the materials come into prompts. */
function LoreSettings() {
  const { t, check, figure } = useDraftFields()
  return (
    <>
      <h3 className="label">{t('lore.title')}</h3>
      {figure('loreScanChars', 'drafting.loreScan', { min: 100, max: 100_000 })}
      {figure('loreBudgetPercent', 'drafting.loreBudget', { min: 1, max: 60 })}
      {figure('storyBudgetPercent', 'drafting.storyBudget', { min: 1, max: 60 })}
      {check('loreRecursion', 'drafting.loreRecursion')}
    </>
  )
}

function OutputSettings() {
  const { t, drafting, hintOf, change, check, figure, choice } = useDraftFields()
  const { state: modelState, canBanPhrases, canBanEnd, tellsChances } = useApp((state) => state.models.status)
  const isUnknown = canBanPhrases === undefined && modelState !== 'ready'
  return (
    <>
      <h3 className="label">{t('drafting.output')}</h3>
      {figure('outputTokensGenerate', 'drafting.outputTokens', { min: 1, max: 10_000 })}
      {choice('continueAt', 'drafting.continueAt', ContinueAt.options, (one) => `drafting.continueAt.${one}`)}
      {choice(
        'followingText',
        'drafting.followingText',
        FollowingText.options,
        (one) => `drafting.followingText.${one}`,
      )}
      {choice(
        'endlessGenerate',
        'drafting.endless',
        EndlessPrompt.options,
        (one) => `drafting.endless.${one}`,
      )}
      {check('banEosToken', 'drafting.banEos', canBanEnd === false ? 'drafting.banEos.cannot' : undefined)}
      {check(
        'marksUncertain',
        'drafting.uncertain',
        tellsChances === false ? 'drafting.uncertain.cannot' : undefined,
      )}
      <LinesField
        label={t('drafting.stops')}
        hint={hintOf('stopSequences', 'drafting.stops.hint')}
        values={drafting.stopSequences}
        onCommit={(stopSequences) => change({ stopSequences })}
      />
      <LinesField
        label={t('drafting.banned')}
        hint={hintOf(
          'bannedPhrases',
          isUnknown
            ? 'drafting.banned.unknown'
            : canBanPhrases === false
              ? 'drafting.banned.cannot'
              : 'drafting.banned.hint',
        )}
        values={drafting.bannedPhrases}
        onCommit={(bannedPhrases) => change({ bannedPhrases })}
      />
    </>
  )
}

function IdeaSettings() {
  const { t, drafting, hintOf, change, choice } = useDraftFields()
  const presets = useApp((state) => state.models.presets)
  return (
    <section className="settings-list" aria-label={t('draftMode.idea')}>
      <h3 className="label">{t('draftMode.idea')}</h3>
      <NumberField
        label={t('drafting.outputTokensIdea')}
        hint={hintOf('outputTokensIdea', 'drafting.outputTokens.hint')}
        min={1}
        max={10_000}
        value={drafting.outputTokensIdea}
        onCommit={(outputTokensIdea) => change({ outputTokensIdea })}
      />
      <ChoiceField
        label={t('sampler.preset')}
        hint={hintOf('ideaSamplerPresetId', 'drafting.ideaSampler.hint', () => 'drafting.ideaSampler.same')}
        value={drafting.ideaSamplerPresetId}
        options={[
          { value: '', label: t('drafting.ideaSampler.same') },
          ...presets.map((preset) => ({ value: preset.id, label: presetName(t, preset) })),
        ]}
        onChange={(ideaSamplerPresetId) => change({ ideaSamplerPresetId })}
      />
      {choice('endlessIdea', 'drafting.endless', EndlessPrompt.options, (one) => `drafting.endless.${one}`)}
    </section>
  )
}

function TransferSettings() {
  const { t, figure, choice } = useDraftFields()
  return (
    <>
      <h3 className="label">{t('drafting.transfer')}</h3>
      {choice(
        'transferMode',
        'drafting.transferMode',
        TransferMode.options,
        (one) => `drafting.transferMode.${one}`,
      )}
      {figure('transferBlankLines', 'drafting.blankLines', { min: 0, max: 5 })}
    </>
  )
}
