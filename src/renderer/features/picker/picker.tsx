import './picker.css'
import { type FormEvent, useEffect, useState } from 'react'
import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import { pastedPath } from '../../../shared/text/pasted-path.ts'
import { exportName, namesNew, splitNew, takePicked } from '../../state/slices/picked.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { EntryList } from './entry-list.tsx'
import { choices, type Entry, isFilePath } from './picker-purpose.ts'
import { useFolder } from './use-folder.ts'

/** The app's own picker, for hosts without the system's; the keyboard alone is enough for all of it. */
export function Picker({ purpose }: { purpose: PickPurpose }) {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const close = useApp((state) => state.ui.close)
  const newName = useApp((state) => exportName(state, purpose))
  const { listing, error, isLoading, go, createFolder } = useFolder(
    useApp((state) => state.ui.lastPlace(purpose)),
  )
  const [typedPath, setTypedPath] = useState<string | null>(null)
  const [chosen, setChosen] = useState<Entry | null>(null)
  const [name, setName] = useState(newName)
  // The folder is that of the last time; the name is known only to the user.
  const [isEntered, setIsEntered] = useState(false)
  const [isDue, setIsDue] = useState(false)
  const choice = choices[purpose]
  const isNamed = namesNew[purpose]
  const isPickable = (entry: Entry) => choice.picks.includes(entry.kind)
  const entries = (listing?.entries ?? []).filter((entry) => entry.kind === 'folder' || isPickable(entry))

  const canTake = (entry: Entry) => (entry.kind === 'folder' ? choice.usesFolder : isPickable(entry))
  const here = choice.usesFolder ? (listing?.path ?? null) : null
  const answer = chosen ? (canTake(chosen) ? chosen.path : null) : here
  const canFinish = answer !== null && (!isNamed || name.trim() !== '')

  const finish = (path: string | null) => {
    if (path === null || (isNamed && name.trim() === '')) return
    close()
    store.getState().ui.keepPlace(purpose, isNamed || path === listing?.path ? path : splitNew(path).path)
    takePicked(store.getState(), purpose, { path, name: name.trim() })
  }
  // Completes an Enter that came before the folder was read.
  useEffect(() => {
    if (isDue && canFinish) finish(answer)
  })
  const enter = (path: string) => {
    setChosen(null)
    setTypedPath(null)
    setIsEntered(true)
    void go(path)
  }
  const activate = (entry: Entry) => (entry.kind === 'folder' ? enter(entry.path) : finish(entry.path))
  const submitPath = (event: FormEvent) => {
    event.preventDefault()
    if (typedPath === null) return
    const path = pastedPath(typedPath) ?? typedPath
    if (isFilePath(purpose, path)) finish(path)
    else enter(path)
  }

  return (
    <Dialog
      title={t(`picker.${purpose}`)}
      description={t(`picker.${purpose}.hint`)}
      closeLabel={t('action.close')}
      size="large"
      onClose={close}
      footer={
        <>
          {isNamed && (
            <div className="picker-name grow">
              <Field label={t(`picker.${purpose}.name` as 'picker.create-work.name')} layout="row">
                {(ids) => (
                  <input
                    {...ids}
                    className="input"
                    autoFocus
                    value={name}
                    onFocus={(event) => event.target.select()}
                    onChange={(event) => setName(event.target.value)}
                    onKeyDown={(event) => {
                      if (event.key !== 'Enter') return
                      if (answer === null) setIsDue(isLoading)
                      else finish(answer)
                    }}
                  />
                )}
              </Field>
            </div>
          )}
          {!isNamed && <span className="grow clip small dim">{answer}</span>}
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button look="primary" disabled={!canFinish} onClick={() => finish(answer)}>
            {t(`picker.${purpose}.finish`)}
          </Button>
        </>
      }
    >
      <div className="picker">
        <nav className="picker-places" aria-label={t('picker.places')}>
          {listing?.places.map((place) => (
            <button key={place.path} type="button" className="picker-place" onClick={() => enter(place.path)}>
              {place.name}
            </button>
          ))}
        </nav>
        <div className="picker-main">
          <form className="row picker-path" onSubmit={submitPath}>
            <IconButton
              icon="up"
              label={t('picker.up')}
              disabled={!listing?.parent}
              onClick={() => listing?.parent && enter(listing.parent)}
            />
            <input
              className="input"
              aria-label={t('picker.path')}
              spellCheck={false}
              value={typedPath ?? listing?.path ?? ''}
              // Pasted text replaces the folder that is shown.
              onFocus={(event) => event.target.select()}
              onClick={(event) => typedPath === null && event.currentTarget.select()}
              onChange={(event) => setTypedPath(event.target.value)}
            />
            <NewFolder onCreate={createFolder} />
          </form>
          {error && <Notice tone="bad">{errorText(error)}</Notice>}
          <EntryList
            key={listing?.path ?? ''}
            label={t('picker.entries')}
            entries={entries}
            chosen={chosen}
            takesFocus={!isNamed || isEntered}
            emptyText={isLoading ? t('loading') : t('picker.empty')}
            onChoose={setChosen}
            onActivate={activate}
            onUp={() => listing?.parent && enter(listing.parent)}
          />
          {listing?.isTruncated && <p className="small dim picker-note">{t('picker.truncated')}</p>}
        </div>
      </div>
    </Dialog>
  )
}

function NewFolder({ onCreate }: { onCreate: (name: string) => Promise<void> }) {
  const { t } = useWords()
  const [name, setName] = useState<string | null>(null)
  if (name === null) {
    return (
      <Button look="quiet" icon="add" onClick={() => setName('')}>
        {t('picker.newFolder')}
      </Button>
    )
  }
  return (
    <input
      className="input picker-new"
      aria-label={t('picker.newFolder')}
      placeholder={t('picker.newFolder')}
      // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
      autoFocus
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={() => setName(null)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          setName(null)
        }
        if (event.key !== 'Enter') return
        event.preventDefault()
        if (name.trim() !== '') void onCreate(name.trim())
        setName(null)
      }}
    />
  )
}
