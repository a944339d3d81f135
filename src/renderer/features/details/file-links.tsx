import { isWholeName, typedReferences } from '../../../shared/text/file-references.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'

/** The files that a field names with `@`, to be opened. Nothing of them goes to a model. */
export function FileLinks({ text }: { text: string }) {
  const { t } = useWords()
  const store = useAppStore()
  const files = useApp((state) => state.work.current?.files)
  const paths = linkedFiles(
    text,
    (files ?? []).filter((file) => file.kind !== 'folder').map((file) => file.path),
  )
  if (paths.length === 0) return null
  return (
    <ul className="file-links" aria-label={t('reference.links')}>
      {paths.map((path) => (
        <li key={path}>
          <button type="button" className="file-link" onClick={() => store.getState().documents.goTo(path)}>
            @{path}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Returns each file once, in the order of the text. Text that runs on behind a name (`@章.mdを`) is no part of it. */
export function linkedFiles(text: string, files: readonly string[]): string[] {
  const found = typedReferences(text).flatMap(({ path, run }) => {
    const named = (run ?? path).normalize('NFC')
    const fits = files.filter((file) => {
      const name = file.normalize('NFC')
      return run === null
        ? named === name
        : named.startsWith(name) && isWholeName(name, named.slice(name.length))
    })
    const longest = fits.reduce((best, file) => (file.length > best.length ? file : best), '')
    return longest === '' ? [] : [longest]
  })
  return [...new Set(found)]
}
