import type { ComponentProps } from 'react'
import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { isTinyModel } from '../../state/model-words.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Says at the caret why there is no continuation, and what helps. */
export function DraftNotices() {
  return (
    <div className="draft-notices">
      <NoModel />
      <Shortened />
      <HeldBeginning />
      <TextOnlyOffer />
      <EndlessEnd />
      <Failure />
    </div>
  )
}

function NoModel() {
  const { t } = useWords()
  const hasNone = useApp((state) => state.models.isStatusKnown && state.models.status.state === 'none')
  const hasFailure = useApp((state) => state.runs.failure?.error.code === 'model/none')
  const open = useApp((state) => state.ui.open)
  if (!hasNone || hasFailure) return null
  return (
    <Notice
      tone="plain"
      actions={
        <Button onClick={() => open({ kind: 'settings', section: 'models' })}>{t('model.choose')}</Button>
      }
    >
      {t('model.noneYet')}
    </Notice>
  )
}

function Shortened() {
  const { t } = useWords()
  const { shortened, closeWarning } = useApp((state) => state.preview)
  const goToTab = useApp((state) => state.ui.goToTab)
  if (shortened === null) return null
  return (
    <ClosableNotice
      tone="warn"
      actions={<Button onClick={() => goToTab('context')}>{t('context.show')}</Button>}
      onClose={closeWarning}
    >
      {t('context.shortened', { kept: shortened.keptChars, body: shortened.bodyChars })}
    </ClosableNotice>
  )
}

function HeldBeginning() {
  const { t } = useWords()
  const { anchorOffer: offer, answerOffer: answer } = useApp((state) => state.preview)
  if (offer === null) return null
  return (
    <ClosableNotice
      actions={<Button onClick={() => answer(true)}>{t('drafting.fitMode.anchored')}</Button>}
      onClose={() => answer(false)}
    >
      {t('context.anchorOffer', { read: offer.readTokens, anchored: offer.anchoredTokens })}
    </ClosableNotice>
  )
}

/** Says why endless generation ended, where the author did not end it. */
function EndlessEnd() {
  const { t, errorText } = useWords()
  const endless = useApp((state) => state.runs.endless)
  const close = useApp((state) => state.runs.closeEndless)
  if (endless === null || endless.end === null) return null
  if (endless.end === 'stopped' || endless.end === 'complete') return null
  const values = { nth: endless.block, error: endless.error ? errorText(endless.error) : '' }
  return (
    <ClosableNotice tone={endless.end === 'failed' ? 'bad' : 'plain'} onClose={close}>
      {endless.total ? t(`several.${endless.end}`, values) : t(`endless.${endless.end}`, values)}
    </ClosableNotice>
  )
}

/** A model without an instruct template, or a tiny one, writes better from text alone: offered once in a work. */
function TextOnlyOffer() {
  const { t } = useWords()
  const reason = useApp(({ models: { profiles, status }, work }) =>
    work.current?.details.promptForm === 'instruction'
      ? textOnlyReason(
          profiles.find(({ id }) => id === status.profileId),
          status.modelName,
        )
      : null,
  )
  const { isFormAnswered: isAnswered, answerForm: answer } = useApp((state) => state.preview)
  if (reason === null || isAnswered) return null
  return (
    <ClosableNotice
      actions={<Button onClick={() => answer(true)}>{t('promptForm.offer.take')}</Button>}
      onClose={() => answer(false)}
      closeLabel={t('promptForm.offer.leave')}
    >
      {t(`promptForm.offer.${reason}`)}
    </ClosableNotice>
  )
}

const modelCodes: readonly ErrorInfo['code'][] = [
  'model/none',
  'model/unreachable',
  'model/unauthorized',
  'model/context-unknown',
  'model/bad-file',
  'model/engine-crashed',
  'profile/not-found',
]

function Failure() {
  const { t, errorText } = useWords()
  const failure = useApp((state) => state.runs.failure)
  const { start, closeFailure } = useApp((state) => state.runs)
  const { open, goToTab } = useApp((state) => state.ui)
  const hasModel = useApp(({ models }) => models.isStatusKnown && models.status.state !== 'none')
  if (failure === null) return null
  const { error, wish } = failure
  // The missing model has been chosen since.
  if (error.code === 'model/none' && hasModel) return null
  return (
    <ClosableNotice
      tone="bad"
      actions={
        <>
          {error.code === 'tokens/unreachable' && (
            <Button onClick={() => void start({ ...wish, isEstimateAccepted: true })}>
              {t('run.goOnWithEstimate')}
            </Button>
          )}
          {error.code === 'model/context-overflow' && (
            <Button onClick={() => goToTab('context')}>{t('context.show')}</Button>
          )}
          {modelCodes.includes(error.code) && (
            <Button onClick={() => open({ kind: 'settings', section: 'models' })}>{t('model.choose')}</Button>
          )}
          <Button onClick={() => void start(wish)}>{t('action.tryAgain')}</Button>
        </>
      }
      onClose={closeFailure}
    >
      {errorText(error)}
    </ClosableNotice>
  )
}

/** Says why a model may continue better from text alone: it knows no instructions, or is too small to follow them. */
export function textOnlyReason(
  profile: ModelProfile | undefined,
  modelName: string | null,
): 'base' | 'small' | null {
  if (profile === undefined || profile.backend === 'demo') return null
  if (profile.templateId === 'plain') return 'base'
  return isTinyModel(profile, modelName) ? 'small' : null
}

/** Problems of the open text: conflicts, failed saves, recovered text, read-only. */
export function DocumentNotices({ path }: { path: string }) {
  const { t, language, errorText } = useWords()
  const view = useApp((state) => state.documents.byPath[path])
  const { resolveConflict, saveAsUtf8, save, forgetRecovery, forgetChangedElsewhere } = useApp(
    (state) => state.documents,
  )
  const open = useApp((state) => state.ui.open)
  if (!view) return null
  const { conflict, saveError, recoveredAt, changedElsewhere, format, problem } = view

  return (
    <>
      {conflict?.kind === 'changed' && (
        <Notice
          tone="bad"
          actions={
            <>
              <Button onClick={() => void resolveConflict(path, 'reload')}>{t('conflict.reload')}</Button>
              <Button onClick={() => void resolveConflict(path, 'keep-mine')}>
                {t('conflict.keepMine')}
              </Button>
              <Button variant="quiet" onClick={() => open({ kind: 'compare-disk', path })}>
                {t('action.compare')}
              </Button>
            </>
          }
        >
          {t('conflict.changed')}
        </Notice>
      )}
      {conflict?.kind === 'removed' && (
        <Notice
          tone="bad"
          actions={
            <Button onClick={() => void resolveConflict(path, 'keep-mine')}>
              {t('conflict.writeAgain')}
            </Button>
          }
        >
          {t('conflict.removed')}
        </Notice>
      )}
      {saveError && (
        <Notice
          tone="bad"
          actions={
            saveError.code === 'file/unencodable' ? (
              <Button variant="primary" onClick={() => void saveAsUtf8(path)}>
                {t('save.asUtf8')}
              </Button>
            ) : (
              <Button onClick={() => void save(path)}>{t('save.now')}</Button>
            )
          }
        >
          {errorText(saveError)}
        </Notice>
      )}
      {recoveredAt !== null && (
        <ClosableNotice onClose={() => forgetRecovery(path)}>
          {t('recovered.text', {
            time: new Date(recoveredAt).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' }),
          })}
        </ClosableNotice>
      )}
      {changedElsewhere === 'told' && (
        <ClosableNotice onClose={() => forgetChangedElsewhere(path)}>{t('reloaded.text')}</ClosableNotice>
      )}
      {format?.isReadOnly && <Notice tone="plain">{t('editor.readOnly')}</Notice>}
      {problem && <Notice tone="bad">{errorText(problem)}</Notice>}
    </>
  )
}

type ClosableNoticeProps = Omit<ComponentProps<typeof Notice>, 'tone' | 'below'> & {
  tone?: 'plain' | 'warn' | 'bad'
  onClose: () => void
  closeLabel?: string
}

function ClosableNotice({ tone = 'plain', actions, onClose, closeLabel, children }: ClosableNoticeProps) {
  const { t } = useWords()
  return (
    <Notice
      tone={tone}
      actions={
        <>
          {actions}
          <Button variant="quiet" onClick={onClose}>
            {closeLabel ?? t('action.close')}
          </Button>
        </>
      }
    >
      {children}
    </Notice>
  )
}
