import { memo } from 'react'
import { segmentsText } from '../../../../shared/domain/session/message-segment.ts'
import type { FileItem } from '../../../../shared/domain/session/session-item.ts'
import { failedReference } from '../../../../shared/i18n/failed-reference.ts'
import { sizeText } from '../../../../shared/i18n/translate.ts'
import { clipGraphemes } from '../../../../shared/text/graphemes.ts'
import { isOfLastMessage } from '../../../state/slices/session/references-slice.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Thumbnail } from './thumbnail.tsx'

/** Limit of an attached text that is shown; one line may be a whole paragraph. Units: lines, graphemes. */
const shown = { lines: 12, characters: 600 }

/** A file or folder that a message brought along: one quiet line that opens; or why nothing came along. */
export const AttachedFile = memo(function AttachedFile({ item }: { item: FileItem }) {
  const { t, language } = useWords()
  if (item.state !== 'ok') return <FailedFile item={item} />
  if (item.image !== undefined) return <Thumbnail image={item.image} />
  const { path, range, what, text, isCut, isUnsaved } = item
  const name = segmentsText([{ kind: 'file-ref', path, range }])
  const size = sizeText(language, item.sizeBytes ?? new TextEncoder().encode(text).length)
  // The first line is the program's: it says to the model what this is.
  const lines = text.split('\n').slice(1)
  const first = lines.slice(0, shown.lines).join('\n')
  const beginning = clipGraphemes(first, shown.characters)
  const more = lines.length - beginning.split('\n').length
  return (
    <details className="quiet attached">
      <summary>
        <Icon name={what === 'folder' ? 'folder' : 'file'} size={12} />{' '}
        {what === 'folder'
          ? t(isCut ? 'reference.attachedFolderCut' : 'reference.attachedFolder', { path: name })
          : t(isCut ? 'reference.attachedCut' : 'reference.attached', { path: name, size })}
        {isUnsaved && <span className="attached-mark">{t('reference.unsaved')}</span>}
      </summary>
      <pre className="code">{beginning === first ? first : `${beginning}…`}</pre>
      {more > 0 && <p>{t('reference.moreLines', { count: more })}</p>}
    </details>
  )
})

function FailedFile({ item }: { item: FileItem }) {
  const { t } = useWords()
  const readAs = useApp((state) => state.references.readAs)
  const isLast = useApp((state) => isOfLastMessage(state.conversation.current?.items ?? [], item))
  return (
    <div className="quiet attached attached-failed">
      <Icon name="warn" size={14} />
      <p className="grow">{failedReference(t, item)}</p>
      {item.encodings.map((encoding) => (
        <Button key={encoding} onClick={() => void readAs(item, encoding)}>
          {t(isLast ? 'reference.readAs' : 'reference.addAs', { encoding: t(`encoding.${encoding}`) })}
        </Button>
      ))}
    </div>
  )
}
