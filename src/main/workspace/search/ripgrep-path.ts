import { rgPath } from '@vscode/ripgrep'

/** Ripgrep's own file: a packed app keeps programs beside its archive, from where they can be started. */
export function ripgrepPath(path = rgPath): string {
  return path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked')
}
