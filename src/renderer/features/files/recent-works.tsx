import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

/** Other recent works, and the way to any folder. */
export function RecentWorks() {
  const { t } = useWords()
  const recent = useApp((state) => state.work.recent)
  const root = useApp((state) => state.work.current?.root)
  const open = useApp((state) => state.work.open)
  const openDialog = useApp((state) => state.ui.open)
  const others = recent.filter((work) => work.root !== root).slice(0, 6)
  return (
    <section aria-labelledby="files-recent">
      <div className="file-group">
        <h2 id="files-recent" className="label grow">
          {t('files.recent')}
        </h2>
      </div>
      <ul>
        {others.map((work) => (
          <li key={work.root} className="file-row">
            <button
              type="button"
              className="file-open"
              title={work.root}
              onClick={() => void open(work.root)}
            >
              <span className="grow clip dim">{work.name}</span>
            </button>
          </li>
        ))}
      </ul>
      <Button
        look="quiet"
        icon="folder"
        className="file-open-folder"
        onClick={() => openDialog({ kind: 'picker', purpose: 'open-work' })}
      >
        {t('command.workOpen')}
      </Button>
    </section>
  )
}
