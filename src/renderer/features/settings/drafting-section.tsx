import { FitMode, TransferMode } from '../../../shared/domain/draft-settings.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { CheckField, ChoiceField } from '../../ui/choice-field.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { LinesField } from './lines-field.tsx'

/** How prompts are built, fitted and joined. */
export function DraftingSection() {
  return (
    <div className="settings-list">
      <FitSettings />
      <PromptSettings />
      <OutputSettings />
      <TransferSettings />
    </div>
  )
}

function useDrafting() {
  const { t } = useWords()
  const drafting = useApp((state) => state.settings.value.drafting)
  const update = useApp((state) => state.settings.updateDrafting)
  return { t, drafting, change: (patch: Parameters<typeof update>[0]) => void update(patch) }
}

function FitSettings() {
  const { t, drafting, change } = useDrafting()
  const isDynamic = drafting.fitMode === 'token_dynamic'
  return (
    <>
      <h3 className="label">{t('drafting.fit')}</h3>
      <ChoiceField
        label={t('drafting.fitMode')}
        hint={t(`drafting.fitMode.${drafting.fitMode}.hint`)}
        value={drafting.fitMode}
        options={FitMode.options.map((value) => ({ value, label: t(`drafting.fitMode.${value}`) }))}
        onChange={(fitMode) => change({ fitMode })}
      />
      {isDynamic && (
        <>
          <NumberField
            label={t('drafting.step')}
            hint={t('drafting.step.hint')}
            min={1}
            max={5000}
            value={drafting.stepChars}
            onCommit={(stepChars) => change({ stepChars })}
          />
          <NumberField
            label={t('drafting.offset')}
            hint={t('drafting.offset.hint')}
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
          hint={t('drafting.maxBody.hint')}
          min={1}
          max={1_000_000}
          value={drafting.maxBodyChars}
          onCommit={(maxBodyChars) => change({ maxBodyChars })}
        />
      )}
      <CheckField
        label={t('drafting.openFileOnly')}
        hint={t('drafting.openFileOnly.hint')}
        value={drafting.limitBodyToOpenFile}
        onChange={(limitBodyToOpenFile) => change({ limitBodyToOpenFile })}
      />
    </>
  )
}

function PromptSettings() {
  const { t, drafting, change } = useDrafting()
  return (
    <>
      <h3 className="label">{t('drafting.prompt')}</h3>
      <ChoiceField
        label={t('drafting.order')}
        hint={t('drafting.order.hint')}
        value={drafting.promptOrder}
        options={(['reference_first', 'text_first'] as const).map((value) => ({
          value,
          label: t(`drafting.order.${value}`),
        }))}
        onChange={(promptOrder) => change({ promptOrder })}
      />
      <ChoiceField
        label={t('drafting.noteHeader')}
        hint={t('drafting.noteHeader.hint')}
        value={drafting.noteHeader}
        options={(['default', 'legacy'] as const).map((value) => ({
          value,
          label: t(`drafting.noteHeader.${value}`),
        }))}
        onChange={(noteHeader) => change({ noteHeader })}
      />
      <ChoiceField
        label={t('drafting.rating')}
        hint={t('drafting.rating.hint')}
        value={drafting.defaultRating}
        options={(['general', 'r18'] as const).map((value) => ({ value, label: t(`rating.${value}`) }))}
        onChange={(defaultRating) => change({ defaultRating })}
      />
      <CheckField
        label={t('drafting.completeness')}
        hint={t('drafting.completeness.hint')}
        value={drafting.extendedCompleteness}
        onChange={(extendedCompleteness) => change({ extendedCompleteness })}
      />
    </>
  )
}

function OutputSettings() {
  const { t, drafting, change } = useDrafting()
  const { canBanPhrases, canBanEnd } = useApp((state) => state.models.status)
  return (
    <>
      <h3 className="label">{t('drafting.output')}</h3>
      <NumberField
        label={t('drafting.outputTokens')}
        hint={t('drafting.outputTokens.hint')}
        min={1}
        max={10_000}
        value={drafting.outputTokensGenerate}
        onCommit={(outputTokensGenerate) => change({ outputTokensGenerate })}
      />
      <CheckField
        label={t('drafting.banEos')}
        hint={t(canBanEnd === false ? 'drafting.banEos.cannot' : 'drafting.banEos.hint')}
        value={drafting.banEosToken}
        onChange={(banEosToken) => change({ banEosToken })}
      />
      <LinesField
        label={t('drafting.stops')}
        hint={t('drafting.stops.hint')}
        values={drafting.stopSequences}
        onCommit={(stopSequences) => change({ stopSequences })}
      />
      <LinesField
        label={t('drafting.banned')}
        hint={t(canBanPhrases === false ? 'drafting.banned.cannot' : 'drafting.banned.hint')}
        values={drafting.bannedPhrases}
        onCommit={(bannedPhrases) => change({ bannedPhrases })}
      />
    </>
  )
}

function TransferSettings() {
  const { t, drafting, change } = useDrafting()
  return (
    <>
      <h3 className="label">{t('drafting.transfer')}</h3>
      <ChoiceField
        label={t('drafting.transferMode')}
        hint={t('drafting.transferMode.hint')}
        value={drafting.transferMode}
        options={TransferMode.options.map((value) => ({ value, label: t(`drafting.transferMode.${value}`) }))}
        onChange={(transferMode) => change({ transferMode })}
      />
      <NumberField
        label={t('drafting.blankLines')}
        hint={t('drafting.blankLines.hint')}
        min={0}
        max={5}
        value={drafting.transferBlankLines}
        onCommit={(transferBlankLines) => change({ transferBlankLines })}
      />
    </>
  )
}
