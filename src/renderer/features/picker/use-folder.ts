import { useCallback, useEffect, useRef, useState } from 'react'
import type { FolderListing } from '../../../shared/domain/work/work.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { infoOf } from '../../state/slices/follow.ts'
import { useAppStore } from '../../state/store-context.tsx'

/** Lists a folder, first the last choice, else home. A failure keeps the last list; late answers are ignored. */
export function useFolder(first: string | null) {
  const store = useAppStore()
  const [listing, setListing] = useState<FolderListing | null>(null)
  const [error, setError] = useState<ErrorInfo | null>(null)
  const [isLoading, setIsLoading] = useState(true)

  const asked = useRef(0)
  const go = useCallback(
    async (path?: string) => {
      const mine = ++asked.current
      const isLast = () => mine === asked.current
      setIsLoading(true)
      setError(null)
      try {
        const found = await store.client['folder.list'](path === undefined ? {} : { path })
        if (isLast()) setListing(found)
        return true
      } catch (failure) {
        if (isLast()) setError(infoOf(failure))
        return !isLast()
      } finally {
        if (isLast()) setIsLoading(false)
      }
    },
    [store],
  )
  useEffect(() => {
    const begin = async () => {
      const isThere = first !== null && (await go(first))
      // The folder of the last time may be gone by now.
      if (!isThere) await go()
    }
    void begin()
  }, [go, first])

  const createFolder = async (name: string) => {
    if (listing === null) return
    try {
      const { path } = await store.client['folder.create']({ parent: listing.path, name })
      await go(path)
    } catch (failure) {
      setError(infoOf(failure))
    }
  }
  return { listing, error, isLoading, go, createFolder }
}
