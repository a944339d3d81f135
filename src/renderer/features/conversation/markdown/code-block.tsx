import '../../../ui/code.css'
import { useEffect, useState } from 'react'
import { type CodePiece, loadHighlighter } from '../../../editor/code-highlight.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { useCopy } from '../../../state/use-copy.ts'
import { Button } from '../../../ui/button.tsx'

type CodeBlockProps = { code: string; language: string; path: string | null; isGrowing: boolean }

/** A piece of code that can be copied, or compared with a file and written into it. */
export function CodeBlock({ code, language, path, isGrowing }: CodeBlockProps) {
  const { t } = useWords()
  const open = useApp((state) => state.ui.open)
  const [isCopied, copy] = useCopy()
  const pieces = usePieces(code, language, path, !isGrowing)
  return (
    <figure className="code-block" aria-label={path ?? t('conversation.code')}>
      <figcaption className="code-block-head">
        <span className="grow clip">{path ?? language}</span>
        {!isGrowing && (
          <>
            <Button variant="quiet" onClick={() => copy(code)}>
              {t(isCopied ? 'conversation.copied' : 'action.copy')}
            </Button>
            <Button variant="quiet" onClick={() => open({ kind: 'apply-text', text: code, path })}>
              {t('conversation.applyToFile')}
            </Button>
          </>
        )}
      </figcaption>
      <pre className="code">
        <code>{pieces ?? code}</code>
      </pre>
    </figure>
  )
}

/** Returns the coloured pieces of a code once its language is loaded; null until then, and where none is known. */
function usePieces(code: string, language: string, path: string | null, isWhole: boolean) {
  const [coloured, setColoured] = useState<{ code: string; pieces: CodePiece[] } | null>(null)
  useEffect(() => {
    if (!isWhole) return
    let isCurrent = true
    const colour = async () => {
      const highlight = await loadHighlighter(language, path)
      if (highlight && isCurrent) setColoured({ code, pieces: highlight(code) })
    }
    colour().catch(() => {
      // The language did not load, offline perhaps: the code reads as well without colours.
      if (isCurrent) setColoured(null)
    })
    return () => {
      isCurrent = false
    }
  }, [code, language, path, isWhole])
  if (coloured?.code !== code) return null
  return coloured.pieces.map(({ text, className }, index) => {
    if (className === '') return text
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
      <span key={index} className={className}>
        {text}
      </span>
    )
  })
}

/** The language and path behind the fence of a piece of code. */
type CodeInfo = { language: string; path: string | null }

const pathLike = /^[^\s:*?"<>|`]*[./\\][^\s:*?"<>|`]*$/

/** Reads a fence's line as models write it: `ts`, `ts src/date.ts`, `ts:src/date.ts`, `ts title="…"`, or a path. */
export function codeInfo(info: string): CodeInfo {
  const titled = info.match(/\b(?:title|file|filename|path)=(?:"([^"]+)"|'([^']+)'|(\S+))/i)
  const [first = '', second = ''] = info.trim().split(/[\s:]+/, 2)
  const named = titled?.[1] ?? titled?.[2] ?? titled?.[3] ?? ''
  const path = [named, second, first].find((word) => word !== '' && pathLike.test(word)) ?? null
  const isFirstPath = first === path
  const ending = path === null ? '' : path.slice(path.lastIndexOf('.') + 1)
  return { language: (isFirstPath ? ending : first).toLowerCase(), path }
}
