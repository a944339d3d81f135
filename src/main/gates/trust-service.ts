import type { FolderTrust } from '../../shared/domain/session/consent-rule.ts'
import type { Clock } from '../deps.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import type { FolderTrustRepository } from '../store/folder-trust-repository.ts'

export type TrustService = ReturnType<typeof createTrustService>

/** Which folders the user trusts. Shape: `root` is a real path; a folder that was moved is another one. */
export function createTrustService(deps: { clock: Clock; repository: FolderTrustRepository }) {
  const { clock, repository } = deps
  const changes = createBroadcast<{ root: string; trust: FolderTrust }>()
  const listeners = new Set<(root: string, trust: FolderTrust) => void>()
  return {
    get: (root: string): FolderTrust => repository.get(root),
    set(root: string, isTrusted: boolean): void {
      repository.set(root, isTrusted, clock.now())
      const trust = repository.get(root)
      changes.send({ root, trust })
      for (const listener of [...listeners]) listener(root, trust)
    },
    /** Yields the present state, then each change, until the signal aborts. */
    watch: (root: string, signal: AbortSignal): AsyncGenerator<FolderTrust, void, void> =>
      told(repository.get(root), changes.subscribe(signal), root),
    /** Calls `listener` after each change. Returns the unsubscriber. */
    onChange(listener: (root: string, trust: FolderTrust) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: (): void => changes.end(),
  }
}

async function* told(
  now: FolderTrust,
  changes: AsyncIterable<{ root: string; trust: FolderTrust }>,
  root: string,
): AsyncGenerator<FolderTrust, void, void> {
  yield now
  for await (const change of changes) if (change.root === root) yield change.trust
}
