import { segmentsText } from '../../shared/domain/session/message-segment.ts'
import type { Translate } from '../../shared/i18n/translate.ts'
import { nameIn } from '../../shared/text/paths/shown-paths.ts'
import { keptText } from '../editor/document/kept-changes.ts'
import type { AppStore } from './app-store.ts'
import type { KeptText } from './kept-texts.ts'
import { detailLabel, unsavedDetails } from './slices/work/detail-texts-slice.ts'

/** A whole text. `name`: its path or the name of its field, after its folder where another work is open; null: none. */
type UnsavedText = { name: string | null; text: string }

export function hasUnsavedText(store: AppStore): boolean {
  const { detailTexts, unsent } = store.getState()
  return (
    store.keptTexts.all().length > 0 ||
    openTexts(store).length > 0 ||
    unsavedDetails({ detailTexts }).length > 0 ||
    unsent.hasUnkept() ||
    keptMessages(store).length > 0
  )
}

/** True where this tab alone has text. An open document that the host saves normally keeps none. */
export function hasKeptText(store: AppStore): boolean {
  const { root } = store.getState().work.current ?? {}
  return (
    store.keptTexts.all().length > 0 ||
    unsavedDetails(store.getState()).some((one) => one.root !== root) ||
    keptMessages(store).length > 0
  )
}

/** Returns all text that would be lost with this tab, whole, each under its path or field. */
export function unsavedText(store: AppStore, t: Translate): string {
  return joined(unsavedTexts(store, t))
}

/** Returns the names of all files and fields with text that would be lost with this tab. */
export function unsavedNames(store: AppStore, t: Translate): string {
  return namesOf(unsavedTexts(store, t), t)
}

export function textsElsewhere(store: AppStore, t: Translate): UnsavedText[] {
  const root = store.getState().work.current?.root
  const files = store.keptTexts.all().filter((one) => !one.isHeld && one.root !== root)
  const { kept } = store.getState()
  const isSaid = ({ key }: { key: string }) => kept.stranded.some((one) => one.key === key && one.problem)
  return [
    ...files.filter((one) => !isSaid(one)).map((one) => fileText(root, one)),
    ...detailTexts(store, t, (one) => one.root !== root),
    ...keptMessages(store),
  ]
}

export function joined(texts: readonly UnsavedText[]): string {
  if (texts.length === 1) return texts[0]?.text ?? ''
  return texts.map(({ name, text }) => (name === null ? text : `${name}\n\n${text}`)).join('\n\n')
}

export function namesOf(texts: readonly UnsavedText[], t: Translate): string {
  return texts.map(({ name }) => name ?? t('kept.message')).join(t('kept.comma'))
}

function unsavedTexts(store: AppStore, t: Translate): UnsavedText[] {
  const { unsent, work } = store.getState()
  const root = work.current?.root
  const open = openTexts(store)
  const isShown = (one: KeptText) =>
    one.isHeld && one.root === root && open.some(({ name }) => name === one.path)
  return [
    ...open,
    ...store.keptTexts.all().flatMap((one) => (isShown(one) ? [] : [fileText(root, one)])),
    ...detailTexts(store, t, () => true),
    ...unsent.unkept().map((text) => ({ name: null, text })),
    ...keptMessages(store),
  ]
}

/** Returns the open files of the open work with text of this window that is not surely in the file. */
function openTexts(store: AppStore): UnsavedText[] {
  const editor = store.editor.current
  const keys = new Set(editor?.unsavedKeys())
  return Object.values(store.getState().documents.byPath).flatMap(({ key, path }) => {
    const text = keys.has(key) ? (editor?.textOf(key) ?? null) : null
    return text === null ? [] : [{ name: path, text }]
  })
}

function fileText(openRoot: string | undefined, kept: KeptText): UnsavedText {
  return { name: nameIn(openRoot, kept), text: keptText(kept.changes) }
}

function detailTexts(
  store: AppStore,
  t: Translate,
  isWanted: (one: { root: string }) => boolean,
): UnsavedText[] {
  const root = store.getState().work.current?.root ?? ''
  return unsavedDetails(store.getState())
    .filter(isWanted)
    .map((one) => {
      const label = t(detailLabel(one.name))
      return { name: one.root === root ? label : nameIn(root, { ...one, path: label }), text: one.text }
    })
}

/** Returns the messages that were written in other folders and not heard by a host. */
function keptMessages(store: AppStore): UnsavedText[] {
  const { [store.getState().work.current?.workId ?? '']: _, ...others } = store.keptTexts.messages.all()
  return Object.values(others).flatMap((messages) =>
    Object.values(messages).flatMap((segments) =>
      segments.length > 0 ? [{ name: null, text: segmentsText(segments) }] : [],
    ),
  )
}
