import type { Client } from '../../shared/contract/index.ts'

/** `lost`: connecting is retried. `refused`: the host wants a new link from this window. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused'

/** The host's methods, and whether it is reached now. `client` outlives reconnects; calls meanwhile: `rpc/closed`. */
export type Connection = {
  client: Client
  state(): ConnectionState
  onState(listener: (state: ConnectionState) => void): () => void
  retry(): void
  /** Runs with each new connection before it may be used otherwise; a failure does not keep it from opening. */
  beforeOpen?(prepare: (client: Client) => Promise<unknown>): void
}
