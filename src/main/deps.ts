import type { Timers } from '../shared/delay.ts'
import type { PickPurpose } from '../shared/domain/app/host-info.ts'
import type { Port } from '../shared/wire.ts'
import type { PageNetwork } from './web/fetch-page.ts'

/** Wall clock and timers; tests bring their own. Units: milliseconds. */
export type Clock = Timers & { now(): number }

/** Source of random numbers, uniform in [0, 1), for all dice and ids. */
export type Random = {
  next(): number
  /** 128 random bits, lower-case hex. */
  id(): string
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Structured log without manuscript text or keys. `bug` returns the id that `internal/bug` carries. */
export type Log = {
  write(level: LogLevel, event: string, data?: Record<string, unknown>): void
  bug(error: unknown, where: string): string
}

export type Fetch = typeof globalThis.fetch

/**
 * A child that speaks the Port over its own channel. Shape: `port` closes when the child ends;
 * `exited` gives code and signal, also after a native crash.
 */
export type Worker = {
  port: Port
  exited: Promise<{ code: number | null; signal: string | null }>
  kill(): void
  pid: number | undefined
}
/** Code that runs in a separate process: the engine, and the download of a model. */
export type WorkerEntry = 'engine' | 'download'
export type SpawnWorker = (entry: WorkerEntry, options: { env?: Record<string, string> }) => Worker

/** The desktop and the key store, as each host (Electron, web) offers them to the services. */
export type Shell = {
  kind: 'web' | 'electron'
  /** Shows a file in the system's file manager; false where there is none. */
  reveal(path: string): Promise<boolean>
  /** Asks in the system's own dialog, null where nothing was chosen; absent where there is none. */
  pick?(purpose: PickPurpose, defaultPath?: string): Promise<string | null>
  /** Shows a notice of the system whose click raises the window and runs `command` in it; absent where none exist. */
  notify?(notice: HostNotice): void
  secrets: SecretStore
}

export type HostNotice = { body: string; command: 'gate.focus' }

/**
 * One store per host. `isEncrypted` returns false where it is a plain 0600 file: the window says so.
 *
 * Errors: `secret/store-locked` where the system's key store does not answer in time. Nothing asks a key store
 * before the first secret is needed, since a locked one asks the user for a password.
 */
export type SecretStore = {
  isEncrypted(): Promise<boolean>
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
}

/** All external dependencies of services; `createApp(deps)` passes them on. */
export type Deps = {
  clock: Clock
  random: Random
  log: Log
  fetch: Fetch
  shell: Shell
  spawnWorker: SpawnWorker
  /** Base of `hf:` addresses of models; absent: Hugging Face itself. */
  modelHub?: string | undefined
  /** How web pages are reached; absent: public addresses alone. */
  pageNetwork?: PageNetwork | undefined
  /** Absolute path of `resources/`. */
  resourcesDir: string
  /** Absolute path of the user's data folder, already locked by this host. */
  dataDir: string
  /** BCP 47 tag of the system, for first defaults only. */
  locale: string
  /** This host's random id; names what it leaves in temporary folders. */
  hostId: string
}
