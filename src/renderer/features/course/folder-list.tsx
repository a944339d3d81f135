import type { AddedFolder } from '../../../shared/domain/app/added-folder.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'

/** Where the session works besides its own folder; nothing where it works there alone. */
export function FolderList({ folders }: { folders: readonly AddedFolder[] }) {
  const { t } = useWords()
  const choose = useApp((state) => state.folders.choose)
  if (folders.length === 0) return null
  return (
    <section className="course-entry" aria-label={t('folder.list')}>
      <div className="course-head">
        <h3 className="label grow">{t('folder.list')}</h3>
        <IconButton icon="add" label={t('folder.add')} onClick={() => void choose()} />
      </div>
      <ul className="course-folders">
        {folders.map((folder) => (
          <Folder key={folder.path} folder={folder} />
        ))}
      </ul>
    </section>
  )
}

function Folder({ folder: { path, isTrusted } }: { folder: AddedFolder }) {
  const { t } = useWords()
  const { remove, setTrusted } = useApp((state) => state.folders)
  return (
    <li>
      <span className="course-folder">{path}</span>
      <IconButton icon="close" label={t('folder.remove', { path })} onClick={() => void remove(path)} />
      <span className="course-folder-trust">
        <span className="dim">{t(isTrusted ? 'folder.trusted' : 'folder.untrusted')}</span>
        <Button
          look="quiet"
          aria-label={t(isTrusted ? 'folder.distrust' : 'folder.trust', { path })}
          onClick={() => void setTrusted(path, !isTrusted)}
        >
          {t(isTrusted ? 'folder.distrust.do' : 'folder.trust.do')}
        </Button>
      </span>
    </li>
  )
}
