/** What the menu asks of the window; everything else the shell does itself. */
export type MenuCommand =
  | 'new-work'
  | 'export-project'
  | 'settings'
  | 'palette'
  | 'continue'
  | 'stop'
  | 'retry'
