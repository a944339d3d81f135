import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron'
import type { MessageKey, Translate } from '../src/shared/i18n/translate.ts'

/** The actions of the menu's own entries; the other entries are roles that Electron carries out. */
type MenuActions = {
  open(kind: 'folder' | 'file' | 'model'): void
  openRecent(root: string): void
  save(): void
  command(command: MenuCommand): void
  showLogs(): void
}

export type MenuOptions = {
  platform: NodeJS.Platform
  t: Translate
  /** Newest first. */
  recent: readonly { root: string; name: string }[]
  /** Keys of the window's own commands; the menu shows them and leaves them to the page. */
  keys: Partial<Record<MenuCommand, string>>
  isDeveloper: boolean
  actions: MenuActions
}

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** Returns the application menu in one language. It is built anew when the language or the recent works change. */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const isMac = options.platform === 'darwin'
  const entries = createEntries(options)
  const menus = [
    fileMenu(options, entries),
    editMenu(entries),
    writeMenu(entries),
    viewMenu(options, entries),
  ]
  if (!isMac) return [...menus, helpMenu(options, entries)]
  return [macMenu(entries), ...menus, windowMenu(entries), helpMenu(options, entries)]
}

type Entries = ReturnType<typeof createEntries>

function createEntries({ platform, t, keys, actions }: MenuOptions) {
  // macOS has no underlined letters in menus; there `(&F)` would stay as noise.
  const text = (key: MessageKey) => (platform === 'darwin' ? t(key).replace(/\(&\w\)|&/g, '') : t(key))
  return {
    menu: (label: MessageKey, submenu: MenuItemConstructorOptions[]): MenuItemConstructorOptions => ({
      label: text(label),
      submenu,
    }),
    role: (
      role: NonNullable<MenuItemConstructorOptions['role']>,
      label: MessageKey,
    ): MenuItemConstructorOptions => ({ role, label: text(label) }),
    action: (label: MessageKey, run: () => void, accelerator?: string): MenuItemConstructorOptions => ({
      label: text(label),
      click: run,
      ...(accelerator === undefined ? {} : { accelerator }),
    }),
    command(label: MessageKey, command: MenuCommand): MenuItemConstructorOptions {
      const accelerator = keys[command]
      const entry = { id: command, label: text(label), click: () => actions.command(command) }
      // The page handles these keys itself: only it knows whether a composition is going on. macOS cannot show a key
      // without taking it, so no key is shown there.
      if (accelerator === undefined || platform === 'darwin') return entry
      return { ...entry, accelerator, registerAccelerator: false }
    },
  }
}

function fileMenu({ platform, t, recent, actions }: MenuOptions, entries: Entries) {
  const recentItems: MenuItemConstructorOptions[] = recent.map(({ root, name }) => ({
    label: name.replaceAll('&', '&&'),
    toolTip: root,
    click: () => actions.openRecent(root),
  }))
  const nothing = { label: t('menu.no-recent'), enabled: false }
  const items = [
    entries.command('menu.new-work', 'work.create'),
    entries.action('menu.open-folder', () => actions.open('folder'), 'CmdOrCtrl+O'),
    entries.action('menu.open-file', () => actions.open('file'), 'CmdOrCtrl+Shift+O'),
    entries.menu('menu.open-recent', recentItems.length > 0 ? recentItems : [nothing]),
    separator,
    entries.action('menu.open-model', () => actions.open('model')),
    separator,
    entries.action('menu.save', actions.save, 'CmdOrCtrl+S'),
    entries.command('menu.export', 'work.export'),
    separator,
  ]
  if (platform === 'darwin')
    return entries.menu('menu.file', [...items, entries.role('close', 'menu.close-window')])
  return entries.menu('menu.file', [
    ...items,
    entries.command('menu.settings', 'settings'),
    separator,
    entries.role('quit', 'menu.quit'),
  ])
}

function editMenu(entries: Entries) {
  return entries.menu('menu.edit', [
    // The roles know only what was typed; the page's own histories know what a program inserted, too.
    entries.command('menu.undo', 'edit.undo'),
    entries.command('menu.redo', 'edit.redo'),
    separator,
    entries.role('cut', 'menu.cut'),
    entries.role('copy', 'menu.copy'),
    entries.role('paste', 'menu.paste'),
    entries.role('pasteAndMatchStyle', 'menu.paste-plain'),
    entries.role('selectAll', 'menu.select-all'),
  ])
}

function writeMenu(entries: Entries) {
  return entries.menu('menu.write', [
    entries.command('menu.continue', 'draft.start'),
    entries.command('menu.stop', 'draft.stop'),
    entries.command('menu.retry', 'draft.retry'),
    separator,
    entries.command('menu.palette', 'palette'),
  ])
}

function viewMenu({ isDeveloper }: MenuOptions, entries: Entries) {
  return entries.menu('menu.view', [
    entries.role('zoomIn', 'menu.zoom-in'),
    entries.role('zoomOut', 'menu.zoom-out'),
    entries.role('resetZoom', 'menu.zoom-reset'),
    separator,
    entries.role('togglefullscreen', 'menu.full-screen'),
    ...(isDeveloper
      ? [
          separator,
          { ...entries.role('reload', 'menu.reload'), registerAccelerator: false },
          entries.role('toggleDevTools', 'menu.dev-tools'),
        ]
      : []),
  ])
}

function helpMenu({ platform, actions }: MenuOptions, entries: Entries) {
  const items = [entries.action('menu.show-logs', actions.showLogs)]
  return entries.menu(
    'menu.help',
    platform === 'darwin' ? items : [...items, separator, entries.role('about', 'menu.about')],
  )
}

function macMenu(entries: Entries): MenuItemConstructorOptions {
  return {
    label: 'Tsugi',
    submenu: [
      entries.role('about', 'menu.about'),
      separator,
      entries.command('menu.settings', 'settings'),
      separator,
      entries.role('services', 'menu.services'),
      separator,
      entries.role('hide', 'menu.hide'),
      entries.role('hideOthers', 'menu.hide-others'),
      entries.role('unhide', 'menu.unhide'),
      separator,
      entries.role('quit', 'menu.quit'),
    ],
  }
}

function windowMenu(entries: Entries): MenuItemConstructorOptions {
  return {
    role: 'window',
    ...entries.menu('menu.window', [
      entries.role('minimize', 'menu.minimize'),
      entries.role('zoom', 'menu.zoom-window'),
      separator,
      entries.role('front', 'menu.front'),
    ]),
  }
}

/** The window's own commands that the menu offers; everything else the shell does itself. */
export type MenuCommand =
  | 'work.create'
  | 'work.export'
  | 'settings'
  | 'palette'
  | 'draft.start'
  | 'draft.stop'
  | 'draft.retry'
  | 'edit.undo'
  | 'edit.redo'

/** Keys on which the window runs these commands. */
export const menuKeys: Partial<Record<MenuCommand, string>> = {
  settings: 'CmdOrCtrl+,',
  palette: 'CmdOrCtrl+Shift+P',
  'draft.start': 'CmdOrCtrl+Enter',
  'draft.retry': 'Alt+R',
  'edit.undo': 'CmdOrCtrl+Z',
  'edit.redo': 'CmdOrCtrl+Shift+Z',
}

type SpellingActions = { replace(word: string): void; learn(word: string): void }

/** Returns the context menu of text fields and selections; empty where it has nothing to offer. */
export function contextMenuTemplate(
  params: Pick<ContextMenuParams, 'isEditable' | 'editFlags' | 'misspelledWord' | 'dictionarySuggestions'>,
  t: Translate,
  spelling: SpellingActions,
): MenuItemConstructorOptions[] {
  const { editFlags, misspelledWord } = params
  const suggestions = params.dictionarySuggestions.map((word) => ({
    label: word.replaceAll('&', '&&'),
    click: () => spelling.replace(word),
  }))
  const learning =
    misspelledWord === '' ? [] : [{ label: t('menu.add-word'), click: () => spelling.learn(misspelledWord) }]
  const separator = learning.length > 0 ? [{ type: 'separator' as const }] : []
  if (params.isEditable) {
    return [
      ...suggestions,
      ...learning,
      ...separator,
      { role: 'cut', label: t('menu.cut'), enabled: editFlags.canCut },
      { role: 'copy', label: t('menu.copy'), enabled: editFlags.canCopy },
      { role: 'paste', label: t('menu.paste'), enabled: editFlags.canPaste },
      { type: 'separator' },
      { role: 'selectAll', label: t('menu.select-all'), enabled: editFlags.canSelectAll },
    ]
  }
  return editFlags.canCopy ? [{ role: 'copy', label: t('menu.copy') }] : []
}
