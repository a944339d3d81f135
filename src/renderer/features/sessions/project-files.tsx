import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'

/** More than these are found by their name in the palette. */
const shownFiles = 300

/** What lies in the folder, by path; a press opens it beside the sessions. */
export function ProjectFiles() {
  const { t } = useWords()
  const store = useAppStore()
  const files = useApp((state) => state.work.current?.files)
  if (!files) return null
  const paths = files
    .filter(({ kind }) => kind !== 'folder' && kind !== 'unreadable')
    .map((file) => file.path)
  const unreadable = files.filter(({ kind }) => kind === 'unreadable')
  return (
    <nav className="session-nav" aria-label={t('files.label')}>
      <div className="file-group">
        <h2 className="label grow">{t('files.label')}</h2>
      </div>
      <ul>
        {paths.slice(0, shownFiles).map((path) => (
          <li key={path} className="file-row">
            <button
              type="button"
              className="file-open"
              title={path}
              onClick={() => store.getState().documents.goTo(path)}
            >
              <span className="grow clip">{path}</span>
            </button>
          </li>
        ))}
        {unreadable.slice(0, shownFiles).map(({ path }) => (
          <li key={path} className="file-row" title={t('files.unreadable')}>
            <span className="file-open dim">
              <span className="grow clip">{path}</span>
              <span className="file-conflict">{t('files.unreadableShort')}</span>
            </span>
          </li>
        ))}
      </ul>
      {paths.length > shownFiles && (
        <p className="session-none">{t('session.moreFiles', { count: paths.length - shownFiles })}</p>
      )}
    </nav>
  )
}
