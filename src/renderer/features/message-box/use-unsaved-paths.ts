import { useMemo } from 'react'
import { saveStateOf } from '../../state/reducers/document-reducer.ts'
import { useApp } from '../../state/store-context.tsx'

/** Returns the files whose text in the window is newer than the disk's. The same list while the paths are the same. */
export function useUnsavedPaths(): readonly string[] {
  const paths = useApp(({ documents }) =>
    Object.values(documents.byPath)
      .filter((view) => ['saving', 'failed', 'conflict', 'offline'].includes(saveStateOf(view)))
      .map((view) => view.path)
      .join('\n'),
  )
  return useMemo(() => paths.split('\n'), [paths])
}
