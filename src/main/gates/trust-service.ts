import type { FolderTrust } from '../../shared/domain/session/consent-rule.ts'
import type { Clock } from '../deps.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import type { FolderTrustRepository } from '../store/works/folder-trust-repository.ts'

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
    async *watch(root: string, signal: AbortSignal): AsyncGenerator<FolderTrust, void, void> {
      const later = changes.subscribe(signal)
      yield repository.get(root)
      for await (const change of later) if (change.root === root) yield change.trust
    },
    /** Calls `listener` after each change. Returns the unsubscriber. */
    onChange(listener: (root: string, trust: FolderTrust) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: (): void => changes.end(),
  }
}
