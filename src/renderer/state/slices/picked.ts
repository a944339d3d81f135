import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import type { AppState } from '../app-state.ts'
import { displayName } from '../reducers/work-reducer.ts'
import type { SliceContext } from './slice.ts'

/** The picked folder or file, or the folder for something new. */
export type Picked = { path: string; name: string }

/** True where the purpose names something new in the folder that is picked. */
export function namesNew(purpose: PickPurpose): boolean {
  return purpose === 'create-work' || purpose.startsWith('export-')
}

/** Returns the first name of an export: the chapter's, or the work's; empty for other purposes. */
export function exportName({ work, publishing }: AppState, purpose: PickPurpose): string {
  if (!purpose.startsWith('export-')) return ''
  const { chapter } = publishing
  return purpose === 'export-text' && chapter !== null ? displayName(chapter) : (work.current?.name ?? '')
}

export function takePicked(state: AppState, purpose: PickPurpose, { path, name }: Picked): void {
  switch (purpose) {
    case 'open-work':
      return void state.work.open(path)
    case 'open-project':
      return void state.work.open(path, 'session')
    case 'create-work':
      return void state.work.create(path, name)
    case 'open-gguf':
      return void state.models.openFile(path, { isTold: true })
    case 'gguf-folder':
      return void state.models.addFolder(path)
    case 'add-folder':
      return void state.folders.ask(path)
    case 'import-text':
      return void state.publishing.importFrom(path)
    case 'import-lore':
      return void state.lore.planImport(path)
    case 'export-lore':
      return void state.lore.exportTo(placeOf(path, name))
    case 'export-project':
      return void state.publishing.exportProject(
        placeOf(path, hasEnding(name, 'json') ? name : `${name}.json`),
        wasAsked(state, name, 'json'),
      )
    case 'export-text':
      return void state.publishing.exportTo(
        placeOf(path, name),
        wasAsked(state, name, state.publishing.exportOptions.format),
      )
    case 'export-chapters':
      return void state.publishing.exportTo(placeOf(path, name), false)
  }
}

/** True where the system's own dialog has asked whether the file may be replaced: it knows no ending added later. */
function wasAsked({ connection }: AppState, name: string, ending: string): boolean {
  return connection.host?.hasNativePicker === true && hasEnding(name, ending)
}

function hasEnding(name: string, ending: string): boolean {
  return name.toLowerCase().endsWith(`.${ending}`)
}

/** Returns the path of a name inside a folder, in the folder's own spelling. */
function placeOf(folder: string, name: string): string {
  return `${folder.replace(/[/\\]$/, '')}${separatorOf(folder)}${name}`
}

/** Takes the path of something new apart into its folder, which keeps its separator, and its name. */
export function splitNew(path: string): Picked {
  const at = path.lastIndexOf(separatorOf(path)) + 1
  return { path: path.slice(0, at), name: path.slice(at) }
}

function separatorOf(path: string): '/' | '\\' {
  return path.includes('\\') && !path.startsWith('/') ? '\\' : '/'
}

/** Lets the author pick in the system's dialog. Shape: one dialog at a time; asked meanwhile, it does nothing. */
export function createNativePicker(context: SliceContext): (purpose: PickPurpose) => Promise<void> {
  const { client, get, tell } = context
  let isOpen = false

  return async (purpose) => {
    if (isOpen) return
    isOpen = true
    try {
      const name = exportName(get(), purpose) + endingOf(purpose, get())
      const place = get().ui.lastPlace(purpose)
      const wanted = place === null ? name : placeOf(place, name)
      const { path } = await client['folder.pick']({
        purpose,
        ...(wanted === '' ? {} : { defaultPath: wanted }),
      })
      if (path === null) return
      const picked = namesNew(purpose) ? splitNew(path) : { path, name: '' }
      get().ui.keepPlace(purpose, splitNew(path).path)
      takePicked(get(), purpose, picked)
    } catch (error) {
      tell(error)
    } finally {
      isOpen = false
    }
  }
}

function endingOf(purpose: PickPurpose, { publishing }: AppState): string {
  if (purpose === 'export-project' || purpose === 'export-lore') return '.json'
  return purpose === 'export-text' ? `.${publishing.exportOptions.format}` : ''
}
