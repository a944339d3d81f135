import type { Menu, MenuItem, MenuItemConstructorOptions } from 'electron'
import { DocumentedEmitter, documentClass } from './documented.ts'
import { standInApp } from './electron-app.ts'
import { StandInBrowserWindow } from './windows/browser-window.ts'

type Role = NonNullable<MenuItemConstructorOptions['role']>
type Click = NonNullable<MenuItemConstructorOptions['click']>

const knownOptions = new Set<string>(
  'id label role type click submenu accelerator enabled toolTip registerAccelerator'.split(' '),
)
/** Actions of roles; roles for the page's text and the desktop do nothing here. */
const roles: Partial<Record<Role, () => void>> = {
  quit: () => standInApp.quit(),
  close: () => StandInBrowserWindow.getFocusedWindow()?.close(),
  minimize: () => StandInBrowserWindow.getFocusedWindow()?.minimize(),
  reload: () => StandInBrowserWindow.getFocusedWindow()?.webContents.reload(),
}
const idleRoles = new Set<Role>(
  (
    'undo redo cut copy paste pasteAndMatchStyle selectAll zoomIn zoomOut resetZoom togglefullscreen ' +
    'toggleDevTools window zoom front help about services hide hideOthers unhide'
  ).split(' ') as Role[],
)

class StandInMenuItem implements Pick<MenuItem, 'id' | 'label' | 'type' | 'enabled' | 'click' | 'toolTip'> {
  readonly id: string
  readonly label: string
  readonly type: MenuItem['type']
  readonly enabled: boolean
  readonly toolTip: string
  readonly accelerator: string | undefined
  readonly registerAccelerator: boolean
  readonly role: Role | undefined
  readonly submenu: StandInMenu | undefined
  readonly click: MenuItem['click']

  constructor(options: MenuItemConstructorOptions) {
    const { role, submenu } = options
    for (const name of Object.keys(options)) {
      if (!knownOptions.has(name)) throw new Error(`The Electron stand-in lacks the menu option ${name}.`)
    }
    if (role !== undefined && roles[role] === undefined && !idleRoles.has(role)) {
      throw new Error(`The Electron stand-in lacks the menu role ${role}.`)
    }
    if (!Array.isArray(submenu) && submenu !== undefined)
      throw new Error('The stand-in builds menus from templates.')
    this.id = options.id ?? ''
    this.label = options.label ?? ''
    this.type = options.type ?? (submenu === undefined ? 'normal' : 'submenu')
    this.enabled = options.enabled ?? true
    this.toolTip = options.toolTip ?? ''
    this.accelerator = options.accelerator
    this.registerAccelerator = options.registerAccelerator ?? true
    this.role = role
    this.submenu = submenu === undefined ? undefined : StandInMenu.buildFromTemplate(submenu)
    this.click = () => {
      if (!this.enabled) return
      const click = options.click as ((...args: unknown[]) => ReturnType<Click>) | undefined
      if (click) click(this, StandInBrowserWindow.getFocusedWindow() ?? undefined, {})
      else if (role) roles[role]?.()
    }
  }
}

const menuEvents = { 'menu-will-show': ['event'], 'menu-will-close': ['event'] } as const
let applicationMenu: StandInMenu | null = null

class StandInMenu extends DocumentedEmitter implements Pick<Menu, 'popup'> {
  items: StandInMenuItem[] = []

  constructor() {
    super('Menu', menuEvents)
  }
  static buildFromTemplate(template: MenuItemConstructorOptions[]): StandInMenu {
    const menu = new StandInMenu()
    menu.items = template.map((options) => new StandInMenuItem(options))
    return menu
  }
  static setApplicationMenu(menu: StandInMenu | null): void {
    applicationMenu = menu
  }
  static getApplicationMenu(): StandInMenu | null {
    return applicationMenu
  }
  popup(): void {
    // Only a desktop could show it.
  }
}
documentClass('Menu', StandInMenu, menuEvents)

export { StandInMenu }
