import { join } from 'node:path'
import type { SafeStorage } from 'electron'
import type { Random, SecretStore } from '../src/main/deps.ts'
import { replaceFile, tempFileName } from '../src/main/platform/atomic-file.ts'
import { nodeDisk } from '../src/main/platform/disk.ts'

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
}

/**
 * Keeps keys in one file of the data folder, encrypted by the system's own key store where there is one.
 *
 * Shape: `isEncrypted` is false where the system has none, and on Linux also where Electron falls back to
 * `basic_text`, a password that everybody knows: the window says so beside the key field.
 * Errors: a key that this system cannot decrypt (the file came from another machine) counts as absent.
 */
export async function openSecretStore(options: SecretStoreOptions): Promise<SecretStore> {
  const { safeStorage } = options
  const path = join(options.dataDir, 'secrets.desktop.json')
  const canEncrypt = await safeStorage.isAsyncEncryptionAvailable()
  const isBasicText = options.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text'
  const entries = await readEntries(path)
  let lastChange: Promise<void> = Promise.resolve()

  /** One after the other, whatever became of the one before: the last value is the one that stays. */
  function change(update: () => Promise<void> | void): Promise<void> {
    const run = async () => {
      await update()
      const bytes = Buffer.from(JSON.stringify(Object.fromEntries(entries)))
      const tempName = tempFileName(options.hostId, options.random)
      await replaceFile(nodeDisk, path, bytes, { tempName, newFileMode: 0o600 })
    }
    lastChange = lastChange.then(run, run)
    return lastChange
  }

  return {
    isEncrypted: canEncrypt && !isBasicText,
    async get(name) {
      const entry = entries.get(name)
      if (entry === undefined || entry.form === 'plain') return entry?.data
      if (!canEncrypt) return undefined
      return decrypt(safeStorage, entry.data)
    },
    set: (name, value) =>
      change(async () => {
        const entry: Entry = canEncrypt
          ? { form: 'encrypted', data: (await safeStorage.encryptStringAsync(value)).toString('base64') }
          : { form: 'plain', data: value }
        entries.set(name, entry)
      }),
    remove: (name) => change(() => void entries.delete(name)),
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

async function readEntries(path: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  if ((await nodeDisk.stat(path)) === undefined) return entries
  const stored = parseObject((await nodeDisk.read(path)).toString('utf8'))
  for (const [name, entry] of Object.entries(stored)) if (isEntry(entry)) entries.set(name, entry)
  return entries
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {} // A damaged file holds no key that could still be read.
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { form, data } = value as Record<string, unknown>
  return (form === 'encrypted' || form === 'plain') && typeof data === 'string'
}
