import { useEffect, useState } from 'react'
import { type AttachedImage, imageTokens } from '../../../../shared/domain/image/attached-image.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'

/** An image of a message or a result, small; a press shows it as large as there is room. */
export function Thumbnail({ image }: { image: AttachedImage }) {
  const { t } = useWords()
  const address = useImageAddress(image.imageId)
  const { name, width, height } = image
  if (address === null) return <p className="thumbnail-gone">{t('image.gone')}</p>
  return (
    <details className="thumbnail">
      <summary className="thumbnail-line">
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
