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
