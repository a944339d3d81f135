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
import { CheckField, ChoiceField } from '../../ui/fields/choice-field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { LinesField } from './lines-field.tsx'

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

function useUnsenting() {
  const { t } = useWords()
  const drafting = useApp((state) => state.settings.value.drafting)
  const update = useApp((state) => state.settings.updateDrafting)
  /** Returns the hint of a setting: what it does, and its default. */
  const hintOf = (name: keyof DraftSettings, hint: MessageKey, prefix?: string) => {
    const value = defaultDraftSettings[name]
    const text =
      typeof value === 'number'
        ? t('settings.number', { value })
        : typeof value === 'boolean'
          ? t(value ? 'settings.on' : 'settings.off')
          : prefix === undefined
            ? t('settings.none')
            : t(`${prefix}.${String(value)}` as MessageKey)
    return t('settings.sentences', { first: t(hint), second: t('settings.default', { value: text }) })
  }
  return { t, drafting, hintOf, change: (patch: Parameters<typeof update>[0]) => void update(patch) }
}

function FitSettings() {
  const { t, drafting, hintOf, change } = useUnsenting()
  const isDynamic = drafting.fitMode === 'token_dynamic' || drafting.fitMode === 'auto'
  return (
    <>
      <h3 className="label">{t('drafting.fit')}</h3>
      <ChoiceField
        label={t('drafting.fitMode')}
        hint={hintOf('fitMode', `drafting.fitMode.${drafting.fitMode}.hint`, 'drafting.fitMode')}
        value={drafting.fitMode}
        options={FitMode.options.map((value) => ({ value, label: t(`drafting.fitMode.${value}`) }))}
        onChange={(fitMode) => change({ fitMode })}
      />
      {isDynamic && (
        <>
          <NumberField
            label={t('drafting.step')}
            hint={hintOf('stepChars', 'drafting.step.hint')}
            min={1}
            max={5000}
            value={drafting.stepChars}
            onCommit={(stepChars) => change({ stepChars })}
          />
          <NumberField
            label={t('drafting.offset')}
            hint={hintOf('offsetChars', 'drafting.offset.hint')}
            min={0}
            max={100_000}
            value={drafting.offsetChars}
            onCommit={(offsetChars) => change({ offsetChars })}
          />
        </>
      )}
      {drafting.fitMode === 'char_trim' && (
        <NumberField
          label={t('drafting.maxBody')}
          hint={hintOf('maxBodyChars', 'drafting.maxBody.hint')}
          min={1}
          max={1_000_000}
          value={drafting.maxBodyChars}
          onCommit={(maxBodyChars) => change({ maxBodyChars })}
        />
      )}
      <CheckField
        label={t('drafting.openFileOnly')}
        hint={hintOf('limitBodyToOpenFile', 'drafting.openFileOnly.hint')}
        value={drafting.limitBodyToOpenFile}
        onChange={(limitBodyToOpenFile) => change({ limitBodyToOpenFile })}
      />
    </>
  )
}

function PromptSettings() {
  const { t, drafting, hintOf, change } = useUnsenting()
  return (
    <>
      <h3 className="label">{t('drafting.prompt')}</h3>
      <ChoiceField
        label={t('drafting.order')}
        hint={hintOf('promptOrder', 'drafting.order.hint', 'drafting.order')}
        value={drafting.promptOrder}
        options={(['reference_first', 'text_first'] as const).map((value) => ({
          value,
          label: t(`drafting.order.${value}`),
        }))}
        onChange={(promptOrder) => change({ promptOrder })}
      />
      <ChoiceField
        label={t('drafting.noteHeader')}
        hint={hintOf('noteHeader', 'drafting.noteHeader.hint', 'drafting.noteHeader')}
        value={drafting.noteHeader}
        options={(['default', 'legacy'] as const).map((value) => ({
          value,
          label: t(`drafting.noteHeader.${value}`),
        }))}
        onChange={(noteHeader) => change({ noteHeader })}
      />
      <ChoiceField
        label={t('drafting.rating')}
        hint={hintOf('defaultRating', 'drafting.rating.hint', 'rating')}
        value={drafting.defaultRating}
        options={(['general', 'r18'] as const).map((value) => ({ value, label: t(`rating.${value}`) }))}
        onChange={(defaultRating) => change({ defaultRating })}
      />
      <CheckField
        label={t('drafting.completeness')}
        hint={hintOf('extendedCompleteness', 'drafting.completeness.hint')}
        value={drafting.extendedCompleteness}
        onChange={(extendedCompleteness) => change({ extendedCompleteness })}
      />
    </>
  )
}

/** How entries of the materials come into prompts. */
function LoreSettings() {
  const { t, drafting, hintOf, change } = useUnsenting()
  return (
    <>
      <h3 className="label">{t('lore.title')}</h3>
      <NumberField
        label={t('drafting.loreScan')}
        hint={hintOf('loreScanChars', 'drafting.loreScan.hint')}
        min={100}
        max={100_000}
        value={drafting.loreScanChars}
        onCommit={(loreScanChars) => change({ loreScanChars })}
      />
      <NumberField
        label={t('drafting.loreBudget')}
        hint={hintOf('loreBudgetPercent', 'drafting.loreBudget.hint')}
        min={1}
        max={60}
        value={drafting.loreBudgetPercent}
        onCommit={(loreBudgetPercent) => change({ loreBudgetPercent })}
      />
      <NumberField
        label={t('drafting.storyBudget')}
        hint={hintOf('storyBudgetPercent', 'drafting.storyBudget.hint')}
        min={1}
        max={60}
        value={drafting.storyBudgetPercent}
        onCommit={(storyBudgetPercent) => change({ storyBudgetPercent })}
      />
      <CheckField
        label={t('drafting.loreRecursion')}
        hint={hintOf('loreRecursion', 'drafting.loreRecursion.hint')}
        value={drafting.loreRecursion}
        onChange={(loreRecursion) => change({ loreRecursion })}
      />
    </>
  )
}

function OutputSettings() {
  const { t, drafting, hintOf, change } = useUnsenting()
  const { state: modelState, canBanPhrases, canBanEnd, tellsChances } = useApp((state) => state.models.status)
  const isUnknown = canBanPhrases === undefined && modelState !== 'ready'
  return (
    <>
      <h3 className="label">{t('drafting.output')}</h3>
      <NumberField
        label={t('drafting.outputTokens')}
        hint={hintOf('outputTokensGenerate', 'drafting.outputTokens.hint')}
        min={1}
        max={10_000}
        value={drafting.outputTokensGenerate}
        onCommit={(outputTokensGenerate) => change({ outputTokensGenerate })}
      />
      <ChoiceField
        label={t('drafting.continueAt')}
        hint={hintOf('continueAt', 'drafting.continueAt.hint', 'drafting.continueAt')}
        value={drafting.continueAt}
        options={ContinueAt.options.map((value) => ({ value, label: t(`drafting.continueAt.${value}`) }))}
        onChange={(continueAt) => change({ continueAt })}
      />
      <ChoiceField
        label={t('drafting.followingText')}
        hint={hintOf('followingText', 'drafting.followingText.hint', 'drafting.followingText')}
        value={drafting.followingText}
        options={FollowingText.options.map((value) => ({
          value,
          label: t(`drafting.followingText.${value}`),
        }))}
        onChange={(followingText) => change({ followingText })}
      />
      <ChoiceField
        label={t('drafting.endless')}
        hint={hintOf('endlessGenerate', 'drafting.endless.hint', 'drafting.endless')}
        value={drafting.endlessGenerate}
        options={EndlessPrompt.options.map((value) => ({ value, label: t(`drafting.endless.${value}`) }))}
        onChange={(endlessGenerate) => change({ endlessGenerate })}
      />
      <CheckField
        label={t('drafting.banEos')}
        hint={hintOf('banEosToken', canBanEnd === false ? 'drafting.banEos.cannot' : 'drafting.banEos.hint')}
        value={drafting.banEosToken}
        onChange={(banEosToken) => change({ banEosToken })}
      />
      <CheckField
        label={t('drafting.uncertain')}
        hint={hintOf(
          'marksUncertain',
          tellsChances === false ? 'drafting.uncertain.cannot' : 'drafting.uncertain.hint',
        )}
        value={drafting.marksUncertain}
        onChange={(marksUncertain) => change({ marksUncertain })}
      />
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

/** Ideas have their own length and their own sampler. */
function IdeaSettings() {
  const { t, drafting, hintOf, change } = useUnsenting()
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
        hint={t('settings.sentences', {
          first: t('drafting.ideaSampler.hint'),
          second: t('settings.default', { value: t('drafting.ideaSampler.same') }),
        })}
        value={drafting.ideaSamplerPresetId}
        options={[
          { value: '', label: t('drafting.ideaSampler.same') },
          ...presets.map((preset) => ({ value: preset.id, label: presetName(t, preset) })),
        ]}
        onChange={(ideaSamplerPresetId) => change({ ideaSamplerPresetId })}
      />
      <ChoiceField
        label={t('drafting.endless')}
        hint={hintOf('endlessIdea', 'drafting.endless.hint', 'drafting.endless')}
        value={drafting.endlessIdea}
        options={EndlessPrompt.options.map((value) => ({ value, label: t(`drafting.endless.${value}`) }))}
        onChange={(endlessIdea) => change({ endlessIdea })}
      />
    </section>
  )
}

function TransferSettings() {
  const { t, drafting, hintOf, change } = useUnsenting()
  return (
    <>
      <h3 className="label">{t('drafting.transfer')}</h3>
      <ChoiceField
        label={t('drafting.transferMode')}
        hint={hintOf('transferMode', 'drafting.transferMode.hint', 'drafting.transferMode')}
        value={drafting.transferMode}
        options={TransferMode.options.map((value) => ({ value, label: t(`drafting.transferMode.${value}`) }))}
        onChange={(transferMode) => change({ transferMode })}
      />
      <NumberField
        label={t('drafting.blankLines')}
        hint={hintOf('transferBlankLines', 'drafting.blankLines.hint')}
        min={0}
        max={5}
        value={drafting.transferBlankLines}
        onCommit={(transferBlankLines) => change({ transferBlankLines })}
      />
    </>
  )
}
