import { useCallback, useEffect, useState } from 'react'
import type { FolderListing } from '../../../shared/domain/work.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { infoOf } from '../../state/follow.ts'
import { useAppStore } from '../../state/store-context.tsx'

/** What lies in the folder that is shown; home at first. A folder that cannot be read leaves the last one. */
export function useFolder() {
  const store = useAppStore()
  const [listing, setListing] = useState<FolderListing | null>(null)
  const [error, setError] = useState<ErrorInfo | null>(null)
  const [isLoading, setIsLoading] = useState(true)

  const go = useCallback(
    async (path?: string) => {
      setIsLoading(true)
      setError(null)
      try {
        setListing(await store.client['folder.list'](path === undefined ? {} : { path }))
      } catch (failure) {
        setError(infoOf(failure))
      } finally {
        setIsLoading(false)
      }
    },
    [store],
  )
  useEffect(() => void go(), [go])

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
