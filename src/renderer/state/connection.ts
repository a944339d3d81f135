import type { Client } from '../../shared/contract/index.ts'

/** `lost`: it is tried again. `refused`: the host wants a new link from this window. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused'

/**
 * The host as a window sees it: what can be asked, and whether anyone answers right now.
 *
 * Shape: `client` stays the same object across reconnects; calls made while closed fail with `rpc/closed`.
 */
export type Connection = {
  client: Client
  state(): ConnectionState
  onState(listener: (state: ConnectionState) => void): () => void
  /** Tries at once instead of waiting. */
  retry(): void
  /** Called with each new connection before anybody else may use it; its failure is no reason to wait. */
  beforeOpen?(prepare: (client: Client) => Promise<unknown>): void
}
