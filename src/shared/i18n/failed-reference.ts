import { segmentsText } from '../domain/session/message-segment.ts'
import type { FileItem } from '../domain/session/session-item.ts'
import type { Translate } from './translate.ts'

/** Tells in one sentence why a file that a message names was not attached. Empty where it was. */
export function failedReference(t: Translate, item: FileItem): string {
  const { path, range, state, encodings, trouble } = item
  if (state === 'ok') return ''
  return t(`reference.failed.${state}`, {
    path: segmentsText([{ kind: 'file-ref', path, range }]),
    encodings: encodings.map((encoding) => t(`encoding.${encoding}`)).join(' / '),
    trouble: t(`reference.io.${trouble ?? 'failed'}`),
  })
}
