import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { contentHash } from '../../../src/main/platform/files/content-hash.ts'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import type { ChangeSetEntry, EntryState } from '../../../src/main/store/works/change-set-repository.ts'
import type { FileChange } from '../../../src/main/workspace/change-plan.ts'
import { TurnUndo, type Undone } from '../../../src/main/workspace/undo/turn-undo.ts'
import { undoDisk } from '../../../src/main/workspace/undo/undo-disk.ts'
import { applyWithDocuments } from '../../../src/main/workspace/writable-folder.ts'
import type { UndoSide } from '../../../src/shared/domain/session/undo.ts'
import type { Side } from '../../../src/shared/text/difference/three-way.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { changeSetRig } from './change-set-rig.ts'
import { documentRig } from './document-rig.ts'

const sides = { current: 'current', former: 'speculated', both: 'both' } as const

/**
 * Creates a folder with an assistant that changes files by change sets, a user who changes them on the disk and, with
 * `hasWindow`, in a window with unsaved text, and the undo of the assistant's changes. Shape: a change by the assistant
 * returns the id of its change set.
 */
export function undoStage(files: Record<string, string> = {}, root = tempFolder(), hasWindow = false) {
  const rig = changeSetRig(tempFolder())
  const { changeSets, checkpoints } = rig
  const at = (path: string): string => join(root, path)
  const read = (path: string): string | null => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null)
  const hash = (path: string): string => contentHash(readFileSync(at(path)))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const paths = (): string[] =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(at(path)).isFile())
      .sort()
  const window = hasWindow ? documentRig({ root }) : null
  const documents = window?.service ?? { flush: async () => undefined }
  const isOpen = async (path: string): Promise<boolean> =>
    (await window?.service.openText(at(path))) !== undefined
  const undo = new TurnUndo({
    changeSet: (id) => changeSets.get(id),
    changeSetsFrom: (id) => changeSets.from(id),
    bytes: (wanted) => checkpoints.get(wanted),
    ...undoDisk({ disk: nodeDisk, documents, listFiles: async () => paths() }),
  })
  let undos = 0
  /** Number of change sets that are applied before the host ends; null: it does not end. */
  let setsLeft: number | null = null
  const operations = {
    async apply(changes: readonly FileChange[], note: string, entries: readonly ChangeSetEntry[] = []) {
      if (setsLeft === 0) throw new Error('the host ends')
      if (setsLeft !== null) setsLeft -= 1
      const { id, conflicts } =
        window === null
          ? await changeSets.apply({ root, changes, note, entries })
          : await applyWithDocuments(
              { root, disk: nodeDisk, documents: window.service, changeSets },
              { changes, note, entries },
            )
      return { changeSetId: id, conflicts }
    },
  }
  const change = async (note: string, ...changes: FileChange[]): Promise<string> =>
    (await operations.apply(changes, note)).changeSetId

  async function decided(ids: readonly string[], side: UndoSide | null) {
    if (side === null) return new Map()
    return new Map(
      (await undo.preview(root, ids)).flatMap((file) =>
        file.hash === null
          ? []
          : [
              [
                file.path,
                {
                  hash: file.hash,
                  sides: new Map(file.places.map(({ index }): [number, Side] => [index, sides[side]])),
                },
              ] as const,
            ],
      ),
    )
  }

  async function takeBack(kind: string, ids: readonly string[], side: UndoSide | null): Promise<Undone> {
    undos += 1
    return undo.undo(root, ids, await decided(ids, side), () => operations, `${kind} ${undos}`)
  }

  return {
    root,
    read,
    write,
    at,
    mode: (path: string): number => statSync(at(path)).mode & 0o7777,
    setMode: (path: string, mode: number): void => chmodSync(at(path), mode),
    /** Every file and its text. */
    texts: (): Record<string, string> => Object.fromEntries(paths().map((path) => [path, read(path) ?? ''])),
    assistant: {
      write: (path: string, text: string) =>
        change('write_file', {
          kind: 'write',
          path,
          baseHash: existsSync(at(path)) ? hash(path) : null,
          bytes: Buffer.from(text),
        }),
      /** As a command does it: the content stays. */
      setMode: (path: string, mode: number) =>
        change('run_command', {
          kind: 'write',
          path,
          baseHash: hash(path),
          bytes: readFileSync(at(path)),
          mode,
        }),
      move: (path: string, to: string) =>
        change('move_file', { kind: 'move', path, baseHash: hash(path), to }),
      /** As a command does it: changes a folder or link. */
      setEntry: async (path: string, before: EntryState | null, after: EntryState | null) =>
        (await operations.apply([], 'run_command', [{ path, before, after }])).changeSetId,
      remove: (path: string) => change('delete_file', { kind: 'delete', path, baseHash: hash(path) }),
    },
    user: {
      write,
      append: (path: string, text: string): void => write(path, `${read(path) ?? ''}${text}`),
      /** By another program. */
      async move(path: string, to: string): Promise<void> {
        mkdirSync(dirname(at(to)), { recursive: true })
        renameSync(at(path), at(to))
        await window?.service.fileRemoved(at(path))
      },
      rename: (path: string, to: string) =>
        change('rename', { kind: 'move', path, baseHash: hash(path), to }),
      remove: (path: string): void => rmSync(at(path)),
      /** Leaves the text unsaved in a window, which has its file open from then on. */
      async type(path: string, text: string): Promise<void> {
        if (window === null) throw new Error('there is no window')
        if (!existsSync(at(path))) write(path, '')
        if (!(await isOpen(path))) await window.watch(path)
        const { text: present } = await window.service.read({ root, path })
        await window.service.edit({ root, path }, { from: 0, to: present.length, insert: text }, 'take')
      },
      async close(path: string): Promise<void> {
        await window?.service.fileRemoved(at(path))
      },
    },
    /** Every file and its text as the user sees it, unsaved text too. */
    async seen(): Promise<Record<string, string>> {
      const texts: Record<string, string> = {}
      for (const path of paths())
        texts[path] = (await window?.service.openText(at(path)))?.text ?? read(path) ?? ''
      return texts
    },
    /** Saves unsaved text of the window, and loads changes of other programs into it. */
    async settle(): Promise<void> {
      await window?.service.saveAll()
      for (const path of paths()) if (await isOpen(path)) await window?.service.fileChanged(at(path))
    },
    preview: (ids: readonly string[]) => undo.preview(root, ids),
    files: (ids: readonly string[]) => undo.files(root, ids),
    leftOf: (ids: readonly string[], path: string) => undo.leftOfUndo(root, ids, path),
    /** `side` decides every place; null none. */
    undo: (ids: readonly string[], side: UndoSide | null = null) => takeBack('undo', ids, side),
    redo: (ids: readonly string[], side: UndoSide | null = null) => takeBack('redo', ids, side),
    /** Ends the host after this number of change sets of the undo; the next host finishes it. */
    async undoThroughEnd(
      ids: readonly string[],
      sets: number,
      side: UndoSide | null = null,
    ): Promise<Undone> {
      const decisions = await decided(ids, side)
      setsLeft = sets
      const begun = await undo.undo(root, ids, decisions, () => operations, 'undo ended').catch(() => null)
      setsLeft = null
      return begun ?? undo.undo(root, ids, decisions, () => operations, 'undo ended')
    },
    /** Drops a content from the checkpoints of this change set and all later ones. */
    async forget(text: string, from: string): Promise<void> {
      const gone = contentHash(Buffer.from(text))
      const files = changeSets.from(from).flatMap((record) => record.files)
      const hashes = files.flatMap(({ oldHash, newHash }) => [oldHash ?? gone, newHash ?? gone])
      await checkpoints.sweep(new Set(hashes.filter((hash) => hash !== gone)))
    },
    close: () => rig.store.close(),
  }
}
