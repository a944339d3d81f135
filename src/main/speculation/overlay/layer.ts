/** Bytes of a private file. Shape: `name` is that of the file in its folder. */
export type StoredBytes = { name: string; hash: string; sizeBytes: number }

/**
 * The present state of a path.
 *
 * Shape: `folder` was made on the way to a file, or by a command; `gone` stands where a file was. `isModeNew`: a
 * command changed the permissions of a file that was there.
 */
export type OverlayNode =
  | { kind: 'file'; stored: StoredBytes; mode: number; isModeNew?: true }
  | { kind: 'folder' }
  | { kind: 'gone' }

/** One path of a layer. Shape: `base` is what its first change was made on; null: no file. */
export type LayerChange = { path: string; node: OverlayNode; base: StoredBytes | null }

/**
 * The differences from the folder below, path by path: those of the lower layers, and those that this layer made.
 *
 * Shape: paths as `locate` says them; the folder itself is `.`.
 */
export class Layer {
  readonly #nodes = new Map<string, Map<string, OverlayNode>>()
  readonly #bases = new Map<string, StoredBytes | null>()
  /** Paths that ignore files name, with their topmost ignored folder. */
  readonly #ignored = new Map<string, string>()
  #size = 0
  #version = 0

  /** Changes with each commit. */
  get version(): number {
    return this.#version
  }

  /** How many paths differ. */
  get size(): number {
    return this.#size
  }

  at(path: string): OverlayNode | undefined {
    return this.#nodes.get(parentOf(path))?.get(lastName(path))
  }

  /** Returns the differences directly in a folder, by name. */
  in(folder: string): ReadonlyMap<string, OverlayNode> {
    return this.#nodes.get(folder) ?? new Map()
  }

  /** Yields all that differs, folder by folder. */
  *all(): Generator<[path: string, node: OverlayNode]> {
    for (const [folder, names] of this.#nodes) {
      for (const [name, node] of names) yield [pathTo(folder, name), node]
    }
  }

  commit(changes: readonly LayerChange[]): void {
    for (const { path, node, base } of changes) {
      this.#set(path, node)
      if (!this.#bases.has(path)) this.#bases.set(path, base)
    }
    this.#version++
  }

  /** Returns what this layer changed, and what each change was made on. */
  changes(): LayerChange[] {
    return [...this.#bases].flatMap(([path, base]) => {
      const node = this.at(path)
      return node === undefined ? [] : [{ path, node, base }]
    })
  }

  /** Returns the content that a path had before its first change; undefined where this layer did not change it. */
  baseOf(path: string): StoredBytes | null | undefined {
    return this.#bases.get(path)
  }

  noteIgnored(path: string, top: string): void {
    this.#ignored.set(path, top)
  }

  /** Returns a path's topmost ignored folder, or the path where only that is ignored; null for any other. */
  ignoredTopOf(path: string): string | null {
    return this.#ignored.get(path) ?? null
  }

  addFolders(paths: readonly string[]): void {
    const added = paths.filter((path) => this.at(path) === undefined || this.at(path)?.kind === 'gone')
    this.commit(added.map((path) => ({ path, node: { kind: 'folder' }, base: this.baseOf(path) ?? null })))
  }

  /** Returns a layer without changes of its own on top of this one as it is now. */
  above(): Layer {
    const layer = new Layer()
    for (const [path, node] of this.all()) layer.#set(path, node)
    for (const [path, top] of this.#ignored) layer.noteIgnored(path, top)
    return layer
  }

  #set(path: string, node: OverlayNode): void {
    const folder = parentOf(path)
    const names = this.#nodes.get(folder) ?? new Map<string, OverlayNode>()
    if (!names.has(lastName(path))) this.#size++
    names.set(lastName(path), node)
    this.#nodes.set(folder, names)
  }
}

export function pathTo(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`
}

export function parentOf(path: string): string {
  const at = path.lastIndexOf('/')
  return at < 0 ? '.' : path.slice(0, at)
}

export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** True for what is in the folder, however deep. */
export function isUnder(folder: string, path: string): boolean {
  return folder === '.' ? !/^(?:\/|[A-Za-z]:\/)/.test(path) : path.startsWith(`${folder}/`)
}
