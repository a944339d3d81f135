import { useEffect, useState } from 'react'
import { nameIn } from '../../../shared/text/paths/shown-paths.ts'
import { keptText } from '../../editor/document/kept-changes.ts'
import type { StrandedText } from '../../state/slices/work/kept-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { hasUnsavedText, joined, namesOf, textsElsewhere } from '../../state/unsaved-text.ts'
import { useCopy } from '../../state/use-copy.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { CopyUnsaved, NewLink } from './stopped-pages.tsx'

/** Messages about the connection, a work that could not be opened, and a `work.json` that cannot be read. */
export function Banners() {
  const { t, errorText } = useWords()
  const { status, isHostClosing, isLinkTried, host, retry } = useApp((state) => state.connection)
  const error = useApp((state) => (state.work.current ? state.work.error : null))
  return (
    <>
      {status === 'lost' && (
        <Notice tone="bad" actions={<Button onClick={retry}>{t('action.retryNow')}</Button>}>
          {t(isHostClosing ? 'banner.hostClosed' : 'banner.lost')}
        </Notice>
      )}
      {host !== null && (status === 'refused' || (status === 'connecting' && isLinkTried)) && (
        <RefusedNotice />
      )}
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      <WorkFileNotice />
      <KeptNotice />
    </>
  )
}

/** Says that the folder is open without its details, which cannot be changed until the repair. */
function WorkFileNotice() {
  const { t } = useWords()
  const problem = useApp((state) => state.work.current?.workFileProblem ?? null)
  const repair = useApp((state) => state.work.repairFile)
  if (problem === null) return null
  return (
    <Notice tone="warn" actions={<Button onClick={() => void repair()}>{t('workFile.repair')}</Button>}>
      {t('workFile.problem', { why: t(`workFile.${problem}`) })}
    </Notice>
  )
}

/** Says which text of an earlier page of this tab could not be brought to its file, and offers it. */
function KeptNotice() {
  const stranded = useApp((state) => state.kept.stranded)
  return (
    <>
      {stranded.map((one) => one.problem && <Stranded key={one.key} text={one} />)}
      <Elsewhere />
    </>
  )
}

function Stranded({ text }: { text: StrandedText }) {
  const { t, errorText } = useWords()
  const root = useApp((state) => state.work.current?.root)
  const goTo = useApp((state) => state.documents.goTo)
  const discard = useApp((state) => state.kept.discard)
  const [isCopied, copy] = useCopy()
  const isThere = text.root === root && text.problem?.code !== 'file/not-found'
  return (
    <Notice
      tone="bad"
      actions={
        <>
          <Button onClick={() => copy(keptText(text.changes))}>
            {t(isCopied ? 'toast.copied' : 'action.copy')}
          </Button>
          {isThere && <Button onClick={() => goTo(text.path)}>{t('kept.open')}</Button>}
          <Button variant="quiet" onClick={() => discard([text.key])}>
            {t('kept.discard')}
          </Button>
        </>
      }
    >
      {t('kept.problem', { path: nameIn(root, text), why: text.problem ? errorText(text.problem) : '' })}
    </Notice>
  )
}

/** Names the texts of works that are not open: only their opening brings them to the host. */
function Elsewhere() {
  const { t } = useWords()
  const store = useAppStore()
  const stranded = useApp((state) => state.kept.stranded)
  const root = useApp((state) => state.work.current?.root)
  const isSettled = useApp(({ connection }) => connection.isStarted && connection.status === 'open')
  const discard = useApp((state) => state.kept.discard)
  useApp((state) => state.detailTexts.unsaved)
  const [isCopied, copy] = useCopy()
  const texts = isSettled ? textsElsewhere(store, t) : []
  if (texts.length === 0) return null
  const files = stranded.filter((one) => one.problem === null && one.root !== root)
  return (
    <Notice
      tone="warn"
      actions={
        <>
          <Button onClick={() => copy(joined(texts))}>{t(isCopied ? 'toast.copied' : 'action.copy')}</Button>
          {files.length === texts.length && (
            <Button variant="quiet" onClick={() => discard(files.map(({ key }) => key))}>
              {t('kept.discard')}
            </Button>
          )}
        </>
      }
    >
      {t('kept.elsewhere', { names: namesOf(texts, t) })}
    </Notice>
  )
}

const checkMs = 500

/** Says that the host was started anew and wants its new link, and what can be done with unsaved text. */
function RefusedNotice() {
  const { t } = useWords()
  const store = useAppStore()
  const [hasUnsaved, setHasUnsaved] = useState(() => hasUnsavedText(store))
  // The text is in the editor, which does not report each key to a store: it is checked at intervals.
  useEffect(() => {
    const timer = setInterval(() => setHasUnsaved(hasUnsavedText(store)), checkMs)
    return () => clearInterval(timer)
  }, [store])

  return (
    <Notice tone="bad" actions={hasUnsaved && <CopyUnsaved t={t} />} below={<NewLink t={t} />}>
      {t('banner.refused')} {hasUnsaved && t('banner.refusedUnsaved')}
    </Notice>
  )
}
