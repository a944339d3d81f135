import type { ErrorInfo } from '../../../../shared/errors.ts'
import { deliverKept } from '../../../editor/document/kept-delivery.ts'
import { windowId } from '../../../editor/document/window-id.ts'
import type { DocumentLink } from '../../../editor/editor-types.ts'
import type { KeptText, KeptTexts } from '../../kept-texts.ts'
import type { SliceContext } from '../slice.ts'

/** A kept text that is not in its file. `problem`: why; null where its work has not been opened since. */
export type StrandedText = KeptText & { problem: ErrorInfo | null }

/** Delay before kept text is sent: the shown file is opened first, and sends its own. Units: milliseconds. */
const restMs = 300

/**
 * Text that this tab keeps of files which are not shown: typed before a reload, or right before the file was left. It is
 * brought to the host in the background; what stays is said.
 */
export function createKeptSlice({ client, get, patch }: SliceContext, keptTexts: KeptTexts) {
  const workIds = new Map<string, string>()
  const delivering = new Set<string>()
  const problems = new Map<string, ErrorInfo>()
  let count = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const fileOf = ({ root, path }: { root: string; path: string }) => JSON.stringify([root, path])
  const left = () => keptTexts.all().filter((one) => !one.isHeld && !delivering.has(fileOf(one)))
  const report = () => {
    const stranded = left().map((one) => ({ ...one, problem: problems.get(fileOf(one)) ?? null }))
    const isSame = JSON.stringify(stranded) === JSON.stringify(get().kept.stranded)
    if (!isSame) patch('kept', { stranded })
  }
  const soon = () => {
    clearTimeout(timer)
    timer = setTimeout(deliverAll, restMs)
  }

  function linkTo(root: string, path: string, workId: string): DocumentLink {
    const clientId = `${windowId}-kept-${++count}`
    return {
      key: path,
      clientId,
      kept: keptTexts.place(root, path, clientId),
      watch({ afterVersion, signal }) {
        const version = afterVersion === undefined ? {} : { afterVersion }
        return client['document.watch']({ workId, path, ...version }, { signal })
      },
      send: (batch) => client['document.change']({ clientId, ...batch }),
    }
  }

  async function deliver(root: string, path: string, workId: string): Promise<void> {
    const file = fileOf({ root, path })
    delivering.add(file)
    const problem = await deliverKept(linkTo(root, path, workId))
    delivering.delete(file)
    // The host has closed that work; its text waits until it is opened again.
    if (problem?.code === 'work/not-open') workIds.delete(root)
    else if (problem !== null) problems.set(file, problem)
    // Several pages of this tab may have kept text of one file.
    else if (left().some((one) => fileOf(one) === file)) return deliver(root, path, workId)
  }

  function deliverAll(): void {
    if (get().connection.status !== 'open') return
    const files = new Map(left().map((one) => [fileOf(one), one]))
    for (const { root, path } of files.values()) {
      const workId = workIds.get(root)
      const isTried = problems.has(fileOf({ root, path }))
      if (workId !== undefined && !isTried) void deliver(root, path, workId).then(report)
    }
    report()
  }
  keptTexts.onLeft(soon)

  return {
    stranded: [] as StrandedText[],

    /** Brings everything to the host that is kept of the open work, and of works that were open in this page. */
    follow() {
      const { current } = get().work
      if (current !== null) workIds.set(current.root, current.workId)
      problems.clear()
      soon()
    },
    /** Updates the stranded texts: a file that was opened takes its own. */
    look: report,
    /** Drops stranded texts, on the author's wish; they can be brought back. */
    discard(keys: readonly string[]) {
      const gone = left().filter(({ key }) => keys.includes(key))
      for (const { key } of gone) keptTexts.forget(key)
      report()
      const bringBack = () => {
        for (const { root, path, changes } of gone) keptTexts.place(root, path).write(changes)
        report()
      }
      get().ui.toast({ key: 'kept.discarded' }, { key: 'action.undo', run: bringBack })
    },
  }
}
