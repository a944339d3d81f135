import { useMemo } from 'react'
import type { HunkWords } from '../ui/diff/hunk-diff.tsx'
import { useWords } from './store-context.tsx'

export function useHunkWords(label: string): HunkWords {
  const { t } = useWords()
  return useMemo(
    () => ({
      label,
      same: t('diff.same'),
      place: (count, lines) =>
        t(lines.includes('–') ? 'gate.hunk.name' : 'gate.hunk.name.one', { count, lines }),
      take: t('gate.hunk.take'),
      refuse: t('gate.hunk.refuse'),
      skipped: (count) => t('gate.hunk.skipped', { count }),
      moreHunks: (count) => t('gate.hunk.moreHunks', { count }),
      moreLines: (count) => t('gate.hunk.moreLines', { count }),
      cut: (count) => t('gate.hunk.cut', { count }),
      end: { crlf: t('gate.hunk.crlf'), none: t('gate.hunk.none') },
    }),
    [t, label],
  )
}
