import { segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import type { MessageLabels } from '../../editor/message/message-editor.ts'

/** The words of the box in the interface's language. `unsaved`: files with text that is not on the disk yet. */
export function messageLabels(t: Translate, unsaved: readonly string[], hintId: string): MessageLabels {
  return {
    box: t('session.message'),
    placeholder: t('session.placeholder'),
    hintId,
    chips: {
      unfold: t('conversation.unfoldPaste'),
      name: (segment) =>
        segment.kind === 'paste'
          ? t('conversation.paste', { count: segment.text.split('\n').length })
          : segmentsText([segment]),
      mark: (segment) =>
        segment.kind === 'file-ref' && unsaved.includes(segment.path) ? t('reference.unsaved') : null,
    },
  }
}
