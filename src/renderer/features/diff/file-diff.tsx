import { type ComponentProps, useEffect, useMemo, useState } from 'react'
import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import { diffHunks } from '../../../shared/text/difference/hunks.ts'
import { type CodePiece, colourLines } from '../../editor/code-highlight.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { HunkDiff, type HunkWords } from '../../ui/diff/hunk-diff.tsx'
import { Notice } from '../../ui/notice.tsx'

type FileDiffProps = Pick<ComponentProps<typeof HunkDiff>, 'hunks' | 'choice'> & {
  label: string
  path: string
  /** The former path of a moved file. */
  oldPath?: string
  /** Null: there is no such file. */
  oldText: string | null
  newText: string | null
  /** Absent: as the user chose it for all diffs. */
  layout?: ComponentProps<typeof HunkDiff>['layout']
}

/** The places in which two texts of a file differ, in the colours of its language and the words of the window. */
export function FileDiff({ label, path, oldPath = path, oldText, newText, layout, ...rest }: FileDiffProps) {
  const usual = useApp((state) => state.gates.layout)
  const oldColours = useCodeColours(oldText, oldPath)
  const newColours = useCodeColours(newText, path)
  const words = useHunkWords(label)
  return (
    <HunkDiff
      {...rest}
      newText={newText ?? ''}
      layout={layout ?? usual}
      oldColours={oldColours}
      newColours={newColours}
      words={words}
    />
  )
}

/** Returns the lines of a text in the colours of the file's language once they are there; null until then. */
function useCodeColours(text: string | null, path: string): CodePiece[][] | null {
  const [coloured, setColoured] = useState<{ text: string; lines: CodePiece[][] | null } | null>(null)
  useEffect(() => {
    if (text === null) return
    let isWanted = true
    colourLines(text, path).then(
      (lines) => isWanted && setColoured({ text, lines }),
      // A language that cannot be loaded leaves the text plain; it is all there.
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [text, path])
  return coloured !== null && coloured.text === text ? coloured.lines : null
}

function useHunkWords(label: string): HunkWords {
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

/** As above, where the places are not known. */
export function TextsDiff(props: Omit<FileDiffProps, 'hunks' | 'choice'>) {
  const { oldText, newText } = props
  const hunks = useMemo(() => diffHunks(oldText ?? '', newText ?? ''), [oldText, newText])
  return <FileDiff {...props} hunks={hunks} />
}

export function LoadError({ error, onAgain }: { error: ErrorInfo; onAgain: () => void }) {
  const { t, errorText } = useWords()
  return (
    <Notice tone="bad" actions={<Button onClick={onAgain}>{t('action.tryAgain')}</Button>}>
      {errorText(error)}
    </Notice>
  )
}

/** Returns the words for the permissions that a file gets; none where they stay. */
export function modeWords(t: Translate, { mode }: Pick<ChangedFile, 'mode'>): string[] {
  if (mode === undefined) return []
  const key = (mode & anyExecute) === 0 ? 'gate.file.permissions' : 'gate.file.permissions.executable'
  return [t(key, { mode: mode.toString(8).padStart(3, '0') })]
}

const anyExecute = 0o111
