import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { Disk } from '../../platform/disk.ts'
import { globalExcludes } from '../../platform/global-excludes.ts'
import { isAbsolutePath } from '../../tools/root-path.ts'
import { rulesFrom } from './ignore-rules.ts'
import { ignoreNames, isUnder, type Layer, parentOf } from './layer.ts'
import type { PrivateFiles } from './private-files.ts'

/** Larger ones are no rules. Units: bytes. */
const limitBytes = 10_000_000

type Deps = {
  root: string
  disk: Disk
  layer: Layer
  files: PrivateFiles
  env: Record<string, string | undefined>
}

/** What a search leaves out, worked out from the ignore files as they would be. */
export type OverlayIgnore = {
  /**
   * Arguments for a search in a folder, wherever its files lie.
   *
   * Shape: `absolute` is the folder's real path; `others` are ignore files deep in it, beside those on the way to
   * files of the layer.
   */
  args(absolute: string, others?: readonly string[]): Promise<string[]>
}

export function createOverlayIgnore(deps: Deps): OverlayIgnore {
  const { root, disk, layer, files } = deps
  /** Text of rules → the file with them. */
  const made = new Map<string, string>()
  const pathOf = (absolute: string): string => {
    const way = relative(root, absolute)
    if (way === '') return '.'
    return slashed(isUp(way) ? absolute : way)
  }

  async function textOf(absolute: string): Promise<string | null> {
    const path = pathOf(absolute)
    const node = layer.at(path)
    if (node?.kind === 'file') return (await files.get(node.stored, path)).toString('utf8')
    if (node !== undefined) return null
    return textBelow(absolute)
  }

  async function textBelow(absolute: string): Promise<string | null> {
    try {
      return (await disk.read(absolute, limitBytes)).toString('utf8')
    } catch {
      // What cannot be read says nothing, as for the search program.
      return null
    }
  }

  /** The folders that may have rules for the search, the deeper ones later: what they say is stronger. */
  function foldersFor(absolute: string, others: readonly string[]): string[] {
    const folders = new Set<string>([absolute])
    for (let at = absolute; dirname(at) !== at; at = dirname(at)) folders.add(dirname(at))
    const searched = pathOf(absolute)
    const paths = [...others, ...[...layer.all()].map(([path]) => path)]
    for (const path of paths) {
      for (let at = parentOf(path); isUnder(searched, at) && at !== '.'; at = parentOf(at)) {
        const folder = isAbsolutePath(at) ? at : join(root, at)
        if (folders.has(folder)) break
        folders.add(folder)
      }
    }
    return [...folders].sort((a, b) => a.split(sep).length - b.split(sep).length)
  }

  return {
    async args(absolute, others = []) {
      const folders = foldersFor(absolute, others)
      const excludes = await globalExcludes(deps.env, textBelow)
      const rules = excludes === null ? [] : rulesFrom(excludes, { below: [], above: [] })
      for (const name of ignoreNames) {
        for (const folder of folders) {
          const text = await textOf(join(folder, name))
          if (text === null) continue
          const way = { below: namesDown(absolute, folder), above: namesDown(folder, absolute) }
          rules.push(...rulesFrom(text, way))
        }
      }
      const text = rules.join('\n')
      if (text === '') return ['--no-ignore']
      const path = made.get(text) ?? files.pathOf(await files.put(Buffer.from(text), '.'))
      made.set(text, path)
      return ['--no-ignore', '--ignore-file', path]
    },
  }
}

/** The folders on the way from one to another in it; none where it is not in it. */
function namesDown(from: string, to: string): string[] {
  const way = relative(from, to)
  return way === '' || isUp(way) ? [] : way.split(sep)
}

/** A name may begin with two dots. */
function isUp(way: string): boolean {
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}
