import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemRandom } from '../src/main/platform/random.ts'
import { openSecretStore, type SecretStoreOptions } from './secret-store.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tsugi-secrets-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

type Backend = ReturnType<SecretStoreOptions['safeStorage']['getSelectedStorageBackend']>

/** A key store that encrypts by reversing, for one machine. */
function keyStore(options: { isThere?: boolean; backend?: Backend; machine?: string } = {}) {
  const { isThere = true, backend = 'gnome_libsecret', machine = 'here' } = options
  return {
    isAsyncEncryptionAvailable: async () => isThere,
    getSelectedStorageBackend: () => backend,
    encryptStringAsync: async (text: string) => Buffer.from(`${machine}:${[...text].reverse().join('')}`),
    decryptStringAsync: async (bytes: Buffer) => {
      const text = bytes.toString()
      if (!text.startsWith(`${machine}:`)) throw new Error('Error while decrypting')
      return { shouldReEncrypt: false, result: [...text.slice(machine.length + 1)].reverse().join('') }
    },
  }
}

const open = (safeStorage: SecretStoreOptions['safeStorage'], platform: NodeJS.Platform = 'linux') =>
  openSecretStore({ safeStorage, platform, dataDir, hostId: 'h'.repeat(32), random: systemRandom })

const file = () => readFile(join(dataDir, 'secrets.desktop.json'), 'utf8')

describe('openSecretStore', () => {
  it('keeps a key over a restart, encrypted, in a file for the user alone', async () => {
    const store = await open(keyStore())
    await store.set('profile/a', 'sk-鍵')
    expect(await store.isEncrypted()).toBe(true)
    expect(await (await open(keyStore())).get('profile/a')).toBe('sk-鍵')
    expect(await file()).not.toContain('sk-')
    expect((await stat(join(dataDir, 'secrets.desktop.json'))).mode & 0o777).toBe(0o600)
  })

  it('does not call basic_text encrypted, which only Linux has', async () => {
    expect(await (await open(keyStore({ backend: 'basic_text' }))).isEncrypted()).toBe(false)
    expect(await (await open(keyStore({ backend: 'basic_text' }), 'win32')).isEncrypted()).toBe(true)
  })

  it('does not call the fixed key of a desktop without a keyring encrypted', async () => {
    const fixed = keyStore({ machine: 'v10' })
    expect(await (await open(fixed)).isEncrypted()).toBe(false)
    expect(await (await open(fixed, 'darwin')).isEncrypted()).toBe(true)
    const store = await open(fixed)
    await store.set('a', 'kept')
    expect(await (await open(fixed)).get('a')).toBe('kept')
  })

  it('opens while the key store is locked, says so at the first secret, and asks again', async () => {
    const unlocked = Promise.withResolvers<boolean>()
    let askedCount = 0
    const locked = {
      ...keyStore(),
      isAsyncEncryptionAvailable() {
        askedCount += 1
        return unlocked.promise
      },
    }
    const store = await openSecretStore({
      safeStorage: locked,
      platform: 'linux',
      dataDir,
      hostId: 'h'.repeat(32),
      random: systemRandom,
      limitMs: 20,
    })
    expect(await store.get('absent')).toBeUndefined()
    expect(askedCount).toBe(0)
    await expect(store.set('a', 'x')).rejects.toMatchObject({ info: { code: 'secret/store-locked' } })
    unlocked.resolve(true)
    await store.set('a', 'y')
    expect(await store.get('a')).toBe('y')
    expect(askedCount).toBe(2)
  })

  it('keeps keys all the same where the system has no key store, and says so', async () => {
    const store = await open(keyStore({ isThere: false }))
    await store.set('a', 'plain')
    expect(await store.isEncrypted()).toBe(false)
    expect(await (await open(keyStore({ isThere: false }))).get('a')).toBe('plain')
    expect(await (await open(keyStore())).get('a')).toBe('plain')
  })

  it('takes a key that another machine encrypted for absent', async () => {
    await (await open(keyStore({ machine: 'there' }))).set('a', 'x')
    expect(await (await open(keyStore())).get('a')).toBeUndefined()
    expect(await (await open(keyStore({ isThere: false }))).get('a')).toBeUndefined()
  })

  it('removes a key, and keeps the last of several writes', async () => {
    const store = await open(keyStore())
    await Promise.all([store.set('a', '1'), store.set('b', '2'), store.set('a', '3'), store.remove('b')])
    const again = await open(keyStore())
    expect([await again.get('a'), await again.get('b')]).toEqual(['3', undefined])
  })

  it.each(['', '[]', 'null', '{"a":1,"b":{"form":"plain"}}', '{"a":'])(
    'starts without keys from %j',
    async (text) => {
      await writeFile(join(dataDir, 'secrets.desktop.json'), text)
      const store = await open(keyStore())
      expect([await store.get('a'), await store.get('b')]).toEqual([undefined, undefined])
    },
  )
})
