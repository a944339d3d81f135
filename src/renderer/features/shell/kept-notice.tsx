import { nameIn } from '../../../shared/text/shown-paths.ts'
import { keptText } from '../../editor/document/kept-changes.ts'
import type { StrandedText } from '../../state/slices/work/kept-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { joined, namesOf, textsElsewhere } from '../../state/unsaved-text.ts'
import { useCopy } from '../../state/use-copy.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Says which text of an earlier page of this tab could not be brought to its file, and offers it. */
export function KeptNotice() {
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
          <Button look="quiet" onClick={() => discard([text.key])}>
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
            <Button look="quiet" onClick={() => discard(files.map(({ key }) => key))}>
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
