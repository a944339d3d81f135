import type { ReferenceCandidate } from '../../../src/shared/domain/session/file-reference.ts'

/** Completion of paths behind an `@`: the test sets the paths and the time of each answer. */
export class FakeReferences {
  /** A path that ends with `/` is a folder. */
  paths: string[] = ['src/', 'src/date.ts', 'test/', 'test/date.test.ts']
  isComplete = true
  /** Names that a message may not contain without consent. */
  secrets: string[] = []
  /** By query, promises for which its answer waits. */
  readonly held = new Map<string, Promise<void>>()

  candidates(query: string, limit: number): ReferenceCandidate[] {
    const wanted = query.toLowerCase()
    return this.paths
      .filter((path) => path.toLowerCase().includes(wanted) && !(path.endsWith('/') && path === query))
      .slice(0, limit)
      .map((path) => ({ path, kind: path.endsWith('/') ? 'folder' : 'file' }))
  }

  /** Holds the answer to a query back until the returned function is called. */
  hold(query: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.held.set(query, promise)
    return () => {
      this.held.delete(query)
      resolve()
    }
  }
}
