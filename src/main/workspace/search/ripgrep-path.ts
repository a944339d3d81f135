import { rgPath } from '@vscode/ripgrep'

/** Returns the path of the ripgrep program. A packed app keeps programs beside its archive so that they can start. */
export function ripgrepPath(path = rgPath): string {
  return path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked')
}
