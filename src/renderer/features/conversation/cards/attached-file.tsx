import { memo, useEffect, useState } from 'react'
import { type AttachedImage, imageTokens } from '../../../../shared/domain/image/attached-image.ts'
import { segmentsText } from '../../../../shared/domain/session/message-segment.ts'
import type { FileItem } from '../../../../shared/domain/session/session-item.ts'
import { failedReference } from '../../../../shared/i18n/failed-reference.ts'
import { sizeText } from '../../../../shared/i18n/translate.ts'
import { clipGraphemes } from '../../../../shared/text/graphemes.ts'
import { isOfLastMessage } from '../../../state/slices/session/references-slice.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'

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
    <div className="row quiet attached attached-failed">
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

/** An image of a message or a result, small; a press shows it as large as there is room. */
export function Thumbnail({ image }: { image: AttachedImage }) {
  const { t } = useWords()
  const address = useImageAddress(image.imageId)
  const { name, width, height } = image
  if (address === null) return <p className="thumbnail-gone">{t('image.gone')}</p>
  return (
    <details className="thumbnail">
      <summary className="row thumbnail-line">
        {address !== undefined && <img src={address} alt={t('image.alt', { name })} />}
        <span>{t('image.facts', { name, width, height, tokens: imageTokens(image) })}</span>
      </summary>
    </details>
  )
}

/** Returns the address of an image; undefined while it is loaded, null where the host no longer has it. */
function useImageAddress(imageId: string): string | null | undefined {
  const address = useApp((state) => state.images.address)
  const [found, setFound] = useState<string | null>()
  useEffect(() => {
    let isWanted = true
    address(imageId).then(
      (next) => isWanted && setFound(next),
      // A connection that was lost loads the page's state anew.
      () => isWanted && setFound(null),
    )
    return () => {
      isWanted = false
    }
  }, [address, imageId])
  return found
}
