import type { Work } from '../../../../shared/domain/work/work.ts'
import type { MessageKey } from '../../../../shared/i18n/translate.ts'
import type { AppState } from '../../app-state.ts'
import type { KeptTexts, UnsavedDetail } from '../../kept-texts.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** The details of a work that are typed as text. */
const detailNames = ['title', 'synopsis', 'setting', 'plot', 'authorsNote', 'memo'] as const
export type DetailName = (typeof detailNames)[number]

const restMs = 600

/** Texts typed into details of works, kept until the host has them, whatever happens to field or page. */
export function createDetailTextsSlice({ get, patch }: SliceContext, kept: KeptTexts['details']) {
  /** The works that are open in the present host, by their folders. */
  const workIds = new Map<string, string>()
  /** The last text that was sent and not answered, by folder and field. */
  const sending = new Map<string, { text: string }>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const of = (root: string, name: DetailName) => get().detailTexts.unsaved[root]?.[name]
  const put = (root: string, name: DetailName, value: UnsavedDetail | null) => {
    const { [root]: texts = {}, ...unsaved } = get().detailTexts.unsaved
    const { [name]: _, ...others } = texts
    const left = value === null ? others : { ...others, [name]: value }
    if (Object.keys(left).length > 0) unsaved[root] = left
    patch('detailTexts', { unsaved })
  }
  const store = () => kept.write(get().detailTexts.unsaved)

  async function send(root: string, workId: string, name: DetailName, sent: UnsavedDetail): Promise<void> {
    const { text } = sent
    const key = `${name} ${root}`
    if (sending.get(key)?.text === text) return
    const { current } = get().work
    const isThere = current?.root === root && current.details[name] === text
    if (isThere && !sending.has(key)) return put(root, name, null)
    const request = { text }
    sending.set(key, request)
    put(root, name, { text, known: [...sent.known, text] })
    try {
      await get().work.sendDetails({ [name]: text }, workId)
      const now = of(root, name)
      if (now === undefined) return
      const isLast = sending.get(key) === request
      if (isLast && now.text === text) put(root, name, null)
      else put(root, name, { ...now, known: now.known.slice(now.known.lastIndexOf(text)) })
    } catch (error) {
      const info = infoOf(error)
      // Without a connection it is not known whether the host has the text.
      if (info.code === 'rpc/closed') return
      const now = of(root, name)
      if (now) put(root, name, { ...now, known: now.known.filter((one) => one !== text) })
      get().ui.toastError(info)
    } finally {
      if (sending.get(key) === request) sending.delete(key)
      store()
    }
  }

  const offer = (name: DetailName, text: string): void => {
    const { ui } = get()
    const copy = () =>
      void navigator.clipboard.writeText(text).then(
        () => ui.toast({ key: 'toast.copied' }),
        () => {
          ui.toast({ key: 'conversation.notCopied' })
          offer(name, text)
        },
      )
    const message = { key: 'toast.detailChanged', words: { field: detailLabel(name) } } as const
    ui.toast(message, { key: 'action.copy', run: copy }, true)
  }

  return {
    unsaved: kept.read(),
    /** Keeps what was typed; it is sent when typing pauses. */
    write(root: string, name: DetailName, text: string) {
      const { current } = get().work
      const stood = current?.root === root ? current.details[name] : ''
      const { known } = of(root, name) ?? { known: [stood] }
      // The user has typed the field back to the text that the host has.
      const isUnchanged = known.length === 1 && known[0] === text
      put(root, name, isUnchanged ? null : { text, known })
      clearTimeout(timer)
      timer = setTimeout(() => get().detailTexts.flush(), restMs)
    },
    /** Sends all texts whose work is open in the host, and stores all for the next page of the tab. */
    flush() {
      clearTimeout(timer)
      for (const [root, texts] of Object.entries(get().detailTexts.unsaved)) {
        const workId = workIds.get(root)
        for (const name of detailNames) {
          const text = texts[name]
          if (text && workId !== undefined) void send(root, workId, name, text)
        }
      }
      store()
    },
    /** Goes on with a work that was opened in the present host. */
    follow(work: Work) {
      workIds.set(work.root, work.workId)
      get().detailTexts.heard(work)
      get().detailTexts.flush()
    },
    /** Called when details arrive: a text that took the place of one that this window goes on from is offered. */
    heard({ root, details }: Work) {
      for (const name of detailNames) {
        const own = of(root, name)
        const text = details[name]
        if (own === undefined || own.text === text || own.known.includes(text)) continue
        put(root, name, { ...own, known: [...own.known, text] })
        if (text.trim() !== '') offer(name, text)
      }
    },
    /** Called when the connection is lost: texts wait until their work is opened again. */
    pause: () => workIds.clear(),
  }
}

/** Returns a detail of the open work as it is shown: what was typed in this window, else what the host has. */
export function currentDetail(
  { work: { current }, detailTexts }: Pick<AppState, 'work' | 'detailTexts'>,
  name: DetailName,
): string {
  if (current === null) return ''
  return detailTexts.unsaved[current.root]?.[name]?.text ?? current.details[name]
}

export function unsavedDetails({
  detailTexts,
}: Pick<AppState, 'detailTexts'>): { root: string; name: DetailName; text: string }[] {
  return Object.entries(detailTexts.unsaved).flatMap(([root, texts]) =>
    detailNames.flatMap((name) => (texts[name] ? [{ root, name, text: texts[name].text }] : [])),
  )
}

export function detailLabel(name: DetailName): MessageKey {
  return name === 'memo' ? 'tab.memo' : `details.${name}`
}
