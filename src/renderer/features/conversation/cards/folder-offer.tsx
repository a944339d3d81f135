import type { FolderOffer } from '../../../../shared/domain/app/added-folder.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { Button } from '../../../ui/button.tsx'

/** For a call that was refused because of where its path leads: the folder that would help, or why none does. */
export function FolderOfferLine({ offer: { path, problem } }: { offer: FolderOffer }) {
  const { t } = useWords()
  const ask = useApp((state) => state.folders.ask)
  const isAdded = useApp(
    ({ conversation }) =>
      conversation.current?.state?.folders.some((folder) => holds(folder.path, path)) ?? false,
  )
  if (isAdded) return <p className="call-offer dim">{t('folder.offer.added', { path })}</p>
  if (problem !== null) {
    const why = t(`folder.problem.${problem}`)
    return <p className="call-offer dim">{t('folder.offer.cannot', { path, problem: why })}</p>
  }
  return (
    <p className="call-offer">
      <Button icon="folder" onClick={() => void ask(path)}>
        {t('folder.offer', { path })}
      </Button>
    </p>
  )
}

/** True where `path` is the folder or lies in it. Both are real paths. */
function holds(folder: string, path: string): boolean {
  const rest = path.startsWith(folder) ? path.slice(folder.length) : null
  return rest === '' || rest?.startsWith('/') === true || rest?.startsWith('\\') === true
}
