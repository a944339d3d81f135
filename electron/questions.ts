import type { BrowserWindow, Dialog, MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron'
import type { Translate } from '../src/shared/i18n/translate.ts'
import type { ClosingQuestion } from './ending.ts'

/** Kinds that begin with `new` are places and names of what is not there yet. */
export type PickKind =
  | 'folder'
  | 'file'
  | 'model'
  | 'lore'
  | 'new-folder'
  | 'new-project'
  | 'new-file'
  | 'new-lore'

/** Questions and messages of the shell in the system's own dialogs, in the current language. */
export type Questions = ReturnType<typeof createQuestions>

export function createQuestions(options: {
  dialog: Pick<Dialog, 'showMessageBox' | 'showOpenDialog' | 'showSaveDialog'>
  /** The window that the question belongs to; none before it opens. */
  parent(): BrowserWindow | undefined
  t(): Translate
}) {
  const { dialog, parent } = options

  /** Asks for a yes or no. True for the first button; false for the second one and for closing the dialog. */
  async function confirm(boxIn: (t: Translate) => MessageBoxOptions): Promise<boolean> {
    const full: MessageBoxOptions = { ...boxIn(options.t()), defaultId: 1, cancelId: 1, noLink: true }
    const window = parent()
    const { response } = await (window ? dialog.showMessageBox(window, full) : dialog.showMessageBox(full))
    return response === 0
  }

  return {
    mayCloseWith: (question: ClosingQuestion) =>
      confirm((t) => ({
        type: 'warning',
        message: t(`shell.${question}.message`),
        detail: t(`shell.${question}.detail`),
        buttons: [t(`shell.${question}.close`), t('shell.go-back')],
      })),
    loadAgainAfterCrashes: () =>
      confirm((t) => ({
        type: 'error',
        message: t('shell.crashed.message'),
        detail: t('shell.crashed.detail'),
        buttons: [t('shell.crashed.reload'), t('shell.crashed.quit')],
      })),
    loadAgainWhileHanging: (signal: AbortSignal) =>
      confirm((t) => ({
        type: 'warning',
        message: t('shell.hanging.message'),
        detail: t('shell.hanging.detail'),
        buttons: [t('shell.crashed.reload'), t('shell.hanging.wait')],
        signal,
      })),
    /** The web host has the data folder. True: show that host. */
    showHostInUse: (address: string) =>
      confirm((t) => ({
        type: 'info',
        message: t('shell.in-use.message'),
        detail: t('shell.in-use.detail', { address }),
        buttons: [t('shell.in-use.show'), t('shell.close')],
      })),
    /** Null where nothing was chosen. */
    async pick(kind: PickKind, defaultPath?: string): Promise<string | null> {
      const t = options.t()
      const filters = {
        folder: [],
        file: [{ name: t('shell.file-kind.text'), extensions: ['md', 'txt', 'json', 'docx', 'epub', 'zip'] }],
        model: [{ name: t('shell.file-kind.model'), extensions: ['gguf'] }],
        lore: [{ name: t('shell.file-kind.lore'), extensions: ['json', 'lorebook', 'png'] }],
        'new-folder': [],
        'new-project': [{ name: t('shell.file-kind.project'), extensions: ['json'] }],
        'new-file': [],
        'new-lore': [{ name: t('shell.file-kind.lore'), extensions: ['json'] }],
      }[kind]
      const box = { filters, ...(defaultPath === undefined ? {} : { defaultPath }) }
      if (kind === 'new-folder' || kind === 'new-project' || kind === 'new-file' || kind === 'new-lore') {
        const titles = {
          'new-folder': 'picker.create-work',
          'new-project': 'picker.export-project',
          'new-file': 'picker.export-text',
          'new-lore': 'picker.export-lore',
        } as const
        const title = t(titles[kind])
        return saveAs({ ...box, title, properties: ['createDirectory', 'showOverwriteConfirmation'] })
      }
      const properties: OpenDialogOptions['properties'] =
        kind === 'folder' ? ['openDirectory', 'createDirectory'] : ['openFile']
      return openExisting({ ...box, properties })
    },
  }

  async function openExisting(box: OpenDialogOptions): Promise<string | null> {
    const window = parent()
    const picked = await (window ? dialog.showOpenDialog(window, box) : dialog.showOpenDialog(box))
    return picked.canceled ? null : (picked.filePaths[0] ?? null)
  }

  async function saveAs(box: SaveDialogOptions): Promise<string | null> {
    const window = parent()
    const picked = await (window ? dialog.showSaveDialog(window, box) : dialog.showSaveDialog(box))
    return picked.canceled || picked.filePath === '' ? null : picked.filePath
  }
}
