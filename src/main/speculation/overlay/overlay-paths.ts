import { AppError } from '../../../shared/errors.ts'
import type { FoundPath, ToolOperations } from '../../tools/tool-operations.ts'
import { type Layer, lastName, type OverlayNode, parentOf, pathTo } from './layer.ts'

/** The place of a path. Shape: `node` where it differs from the folder below. */
export type Place = { found: FoundPath; node: OverlayNode | undefined }

export type OverlayPaths = ReturnType<typeof createOverlayPaths>

/**
 * Finds paths as they would be found if everything were written. Errors: as `locate`.
 *
 * Shape: below, a path is followed through its links and checked to lie inside, each time again; only the names that do
 * not exist there are looked up in the layer. A link that leads nowhere below does so here, too, even if the layer
 * has made its target.
 */
export function createOverlayPaths(deps: {
  base: Pick<ToolOperations, 'locate' | 'list'>
  layer: Layer
  isCaseInsensitive: boolean
}) {
  const { base, layer, isCaseInsensitive } = deps

  /** Folds a name as the disk does: its composition and, on a case-insensitive disk, its case do not count. */
  const folded = (name: string): string => {
    const whole = name.normalize('NFC')
    return isCaseInsensitive ? whole.toLowerCase() : whole
  }

  function nodeNamed(folder: string, name: string): { name: string; node: OverlayNode } | undefined {
    const names = layer.in(folder)
    const exact = names.get(name)
    if (exact !== undefined && exact.kind !== 'gone') return { name, node: exact }
    const twins = [...names].filter(([other]) => folded(other) === folded(name))
    const present = twins.filter(([, node]) => node.kind !== 'gone')
    // The name of a deleted file is reused as it was spelt: it is the same file.
    const [twin, ...more] = present.length > 0 ? present : twins
    if (twin === undefined || more.length > 0) return undefined
    return { name: twin[0], node: twin[1] }
  }

  function walk(start: FoundPath, folder: string, names: readonly string[]): Place {
    let at = folder
    let node = layer.at(folder)
    for (const [index, name] of names.entries()) {
      const next = nodeNamed(at, name)
      const isThere = next !== undefined && next.node.kind !== 'gone'
      if (!isThere || node?.kind === 'file') {
        const missing = [next?.name ?? name, ...names.slice(index + 1)]
        const path = missing.reduce(pathTo, at)
        return place(start, { path, kind: 'none', sizeBytes: null, missing }, layer.at(path))
      }
      at = pathTo(at, next.name)
      node = next.node
    }
    return present(start, at, node)
  }

  async function isLink(path: string, missing: readonly string[]): Promise<boolean> {
    const names = path.split('/').filter((name) => name !== '' && name !== '.')
    const written = names.slice(0, names.length - missing.length).join('/')
    return (await base.locate(path.startsWith('/') ? `/${written}` : written)).isLink
  }

  /** Returns the file of the base folder whose name is the same apart from its Unicode normalisation. */
  async function twinBelow(path: string): Promise<string | undefined> {
    const [folder, name] = [parentOf(path), lastName(path)]
    // A pure ASCII name has no second composition.
    if (/^[\x20-\x7e]*$/.test(name)) return undefined
    const ours = layer.in(folder)
    const twins = (await base.list(folder)).filter((entry) => {
      return !ours.has(entry.name) && folded(entry.name) === folded(name)
    })
    return twins.length === 1 && twins[0] !== undefined ? pathTo(folder, twins[0].name) : undefined
  }

  async function look(path: string): Promise<Place> {
    const below = await base.locate(path)
    if (layer.size === 0) return { found: below, node: undefined }
    const { missing } = below
    const there = missing.reduce(parentOf, below.path)
    const node = layer.at(there)
    if (node?.kind === 'gone') {
      const leadsNowhere = missing.length === 0 ? below.isLink : await isLink(path, missing)
      if (leadsNowhere) throw new AppError({ code: 'file/not-found', path })
      const names = [lastName(there), ...missing]
      const ours = walk(below, parentOf(there), names)
      const twin = ours.found.missing.length < names.length ? undefined : await twinBelow(there)
      return twin === undefined ? ours : look(missing.reduce(pathTo, twin))
    }
    if (missing.length > 0 || node?.kind === 'folder') return walk(below, there, missing)
    return node === undefined ? { found: below, node } : present(below, there, node)
  }

  return { look }
}

function present(start: FoundPath, path: string, node: OverlayNode | undefined): Place {
  const isFile = node?.kind === 'file'
  const kind = isFile ? 'file' : 'folder'
  const sizeBytes = isFile ? node.stored.sizeBytes : null
  return place(start, { path, kind, sizeBytes, missing: [] }, node)
}

function place(
  { root, isLink }: FoundPath,
  found: Omit<FoundPath, 'isLink' | 'root'>,
  node: OverlayNode | undefined,
): Place {
  const isAtLink = isLink && found.kind !== 'none'
  return { found: { ...found, isLink: isAtLink, ...(root === undefined ? {} : { root }) }, node }
}
