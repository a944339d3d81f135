import type { Dialog } from 'electron'
import { documentModule } from './documented.ts'

/** Throws for every dialog, since there is no user: a test that opens a dialog must replace it with its answer. */
function nobodyAnswers(name: string, args: unknown[]): never {
  throw new Error(`Nobody answers dialog.${name} here; the test has to: ${JSON.stringify(args.at(-1))}`)
}

const offered: Pick<Dialog, 'showMessageBox' | 'showOpenDialog' | 'showSaveDialog' | 'showErrorBox'> = {
  showMessageBox: async (...args: unknown[]) => nobodyAnswers('showMessageBox', args),
  showOpenDialog: async (...args: unknown[]) => nobodyAnswers('showOpenDialog', args),
  showSaveDialog: async (...args: unknown[]) => nobodyAnswers('showSaveDialog', args),
  showErrorBox: (title, content) => console.error(`${title}\n${content}`),
}

export const dialog = documentModule('Dialog', offered)
