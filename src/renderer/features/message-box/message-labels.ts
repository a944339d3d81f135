import { segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import type { ChipSegment } from '../../editor/message/message-chips.ts'
import type { MessageLabels } from '../../editor/message/message-editor.ts'
import type { AppState } from '../../state/app-state.ts'

/** The words of the box in the interface's language. `unsaved`: files with text that is not on the disk yet. */
export function messageLabels(
  t: Translate,
  unsaved: readonly string[],
  hintId: string,
  picture: AppState['images']['address'],
): MessageLabels {
  return {
    box: t('session.message'),
    placeholder: t('session.placeholder'),
    hintId,
    chips: {
      unfold: t('conversation.unfoldPaste'),
      picture,
      remove: (segment) => t('image.remove', { name: chipName(t, segment) }),
      name: (segment) => chipName(t, segment),
      mark: (segment) =>
        segment.kind === 'file-ref' && unsaved.includes(segment.path) ? t('reference.unsaved') : null,
    },
  }
}

function chipName(t: Translate, segment: ChipSegment): string {
  if (segment.kind === 'image') return segment.image.name
  return segment.kind === 'paste'
    ? t('conversation.paste', { count: segment.text.split('\n').length })
    : segmentsText([segment])
}
