import type { ReferenceCandidate } from '../../../src/shared/domain/session/file-reference.ts'

/** What a folder offers behind an `@`: the test says which paths there are, and when each answer comes. */
export class FakeReferences {
  /** A path that ends with `/` is a folder. */
  paths: string[] = ['src/', 'src/date.ts', 'test/', 'test/date.test.ts']
  isComplete = true
  /** Names that a message may not hold without consent. */
  secrets: string[] = []
  /** While it is there, the answer to this query waits for it. */
  readonly held = new Map<string, Promise<void>>()

  candidates(query: string, limit: number): ReferenceCandidate[] {
    const wanted = query.toLowerCase()
    return this.paths
      .filter((path) => path.toLowerCase().includes(wanted) && !(path.endsWith('/') && path === query))
      .slice(0, limit)
      .map((path) => ({ path, kind: path.endsWith('/') ? 'folder' : 'file' }))
  }

  /** Holds the answer to a query back, until the function that this answers with is called. */
  hold(query: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.held.set(query, promise)
    return () => {
      this.held.delete(query)
      resolve()
    }
  }
}
