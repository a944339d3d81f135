import type { SessionState } from '../../shared/domain/session/session.ts'
import type { Translate } from '../../shared/i18n/translate.ts'

/** Returns where a session stands, in words: `実行 · 確認待ち`. The wait is named once. */
export function positionText(t: Translate, { position, activity, session }: SessionState): string {
  const { step, status, waiting } = position
  if (session.messages === 0 && activity === null) return t('session.status.new')
  if (step === 'AWAITING_APPROVAL') return t(`course.step.${step}`)
  const now =
    waiting === 'gate' || waiting === 'answer'
      ? t(`session.waiting.${waiting}`)
      : activity !== null
        ? t('session.status.working')
        : t(`course.status.${status}`)
  return `${t(`course.step.${step}`)} · ${now}`
}
