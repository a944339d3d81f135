import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SafeStorage } from 'electron'
import type { Random, SecretStore } from '../src/main/deps.ts'
import { replaceFile, tempFileName } from '../src/main/platform/files/atomic-file.ts'
import { nodeDisk } from '../src/main/platform/files/disk.ts'
import { AppError } from '../src/shared/errors.ts'
import { createSerialQueue } from '../src/shared/serial-queue.ts'
import { parseJson } from '../src/shared/text/json.ts'

/** One key. `plain`: the system offered no encryption when it was kept. */
type Entry = { form: 'encrypted' | 'plain'; data: string }

export type SecretStoreOptions = {
  safeStorage: Pick<
    SafeStorage,
    'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
  >
  platform: NodeJS.Platform
  dataDir: string
  hostId: string
  random: Random
  /** How long the system's key store may take, whose password the user may have to type. Units: milliseconds. */
  limitMs?: number
}

const usualLimitMs = 30_000
/** Chromium's prefix of a text that is "encrypted" with a fixed key. Source: Chromium `os_crypt_linux.cc`. */
const fixedKeyMark = 'v10'

/**
 * Keeps keys in one file of the data folder, encrypted by the system's own key store where there is one.
 *
 * Shape: the key store is asked for the first time when the first secret is used: a locked store asks the user for a
 * password, and no window should wait for that. `isEncrypted` is false where the system has no key store, and on Linux
 * also where Electron falls back to a publicly known key: the window says so beside the key field.
 * Errors: `secret/store-locked` where the key store does not answer in time; the next call asks again. A key that
 * this system cannot decrypt (the file came from another machine) counts as absent.
 */
export async function openSecretStore(options: SecretStoreOptions): Promise<SecretStore> {
  const { safeStorage, limitMs = usualLimitMs } = options
  const path = join(options.dataDir, 'secrets.desktop.json')
  const entries = await readEntries(path)
  const inTurn = createSerialQueue()
  let askedKeyStore: Promise<KeyStoreKind> | undefined

  /** Shape: remembered once it is known. */
  async function keyStore(): Promise<KeyStoreKind> {
    askedKeyStore ??= inTime(keyStoreKind(options), limitMs)
    try {
      return await askedKeyStore
    } catch (error) {
      askedKeyStore = undefined
      throw error
    }
  }

  /** Runs changes one after another, also after one that failed, so that the last value stays. */
  const change = (update: () => Promise<void> | void) =>
    inTurn(async () => {
      await update()
      const bytes = Buffer.from(JSON.stringify(Object.fromEntries(entries)))
      const tempName = tempFileName(options.hostId, options.random)
      await replaceFile(nodeDisk, path, bytes, { tempName, mode: 0o600 })
    })

  return {
    isEncrypted: async () => (await keyStore()) === 'secret-key',
    async get(name) {
      const entry = entries.get(name)
      if (entry === undefined || entry.form === 'plain') return entry?.data
      if ((await keyStore()) === 'none') return undefined
      return inTime(decrypt(safeStorage, entry.data), limitMs)
    },
    set: (name, value) =>
      change(async () => {
        const canEncrypt = (await keyStore()) !== 'none'
        const entry: Entry = canEncrypt
          ? {
              form: 'encrypted',
              data: (await inTime(safeStorage.encryptStringAsync(value), limitMs)).toString('base64'),
            }
          : { form: 'plain', data: value }
        entries.set(name, entry)
      }),
    remove: (name) => change(() => void entries.delete(name)),
  }
}

type KeyStoreKind = 'none' | 'fixed-key' | 'secret-key'

/** Finds the kind of key store. On Linux its name is not enough: a desktop without a keyring uses the fixed key. */
async function keyStoreKind({ safeStorage, platform }: SecretStoreOptions): Promise<KeyStoreKind> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return 'none'
  if (platform !== 'linux') return 'secret-key'
  if (safeStorage.getSelectedStorageBackend() === 'basic_text') return 'fixed-key'
  const sample = await safeStorage.encryptStringAsync('sample')
  return sample.subarray(0, fixedKeyMark.length).toString('latin1') === fixedKeyMark
    ? 'fixed-key'
    : 'secret-key'
}

/** Errors: `secret/store-locked`. */
async function inTime<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  const waiting = new AbortController()
  const late = sleep(limitMs, undefined, { signal: waiting.signal, ref: false }).then(() => {
    throw new AppError({ code: 'secret/store-locked' })
  })
  late.catch(() => undefined) // Aborted, or heard below.
  try {
    return await Promise.race([answer, late])
  } finally {
    waiting.abort()
  }
}

async function decrypt(
  safeStorage: SecretStoreOptions['safeStorage'],
  data: string,
): Promise<string | undefined> {
  try {
    return (await safeStorage.decryptStringAsync(Buffer.from(data, 'base64'))).result
  } catch {
    // Another user's or machine's key store wrote it: the user is asked for the key again.
    return undefined
  }
}

/** Keys are short. */
const limitBytes = 10_000_000

async function readEntries(path: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  if ((await nodeDisk.stat(path)) === undefined) return entries
  const stored = parseJson((await nodeDisk.read(path, limitBytes)).toString('utf8'))
  // A damaged file holds no key that could still be read.
  for (const [name, entry] of Object.entries(stored ?? {})) if (isEntry(entry)) entries.set(name, entry)
  return entries
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { form, data } = value as Record<string, unknown>
  return (form === 'encrypted' || form === 'plain') && typeof data === 'string'
}
