import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { createSerialQueue } from '../../shared/serial-queue.ts'
import { parseJson } from '../../shared/text/json.ts'
import type { SecretStore } from '../deps.ts'
import { readSmallText } from '../platform/files/read-regular-file.ts'

const StoredSecrets = z.record(z.string(), z.string())
type StoredSecrets = z.infer<typeof StoredSecrets>

/**
 * Keeps secrets in `secrets.json` of the data folder, which only this user can read. An environment variable
 * `TSUGI_SECRET_<NAME>` takes precedence over the file and is never written to it.
 *
 * Shape: the name in the variable is upper-case with `_` for all but letters and digits.
 * Errors: `store/damaged` for a file with invalid content; it is left as it is.
 */
export function createFileSecrets(
  dataDir: string,
  env: Readonly<Record<string, string | undefined>>,
): SecretStore {
  const path = join(dataDir, 'secrets.json')
  const inTurn = createSerialQueue()

  /** Applies changes one after the other, each to the result of the one before. */
  function change(edit: (secrets: Map<string, string>) => void): Promise<void> {
    return inTurn(async () => {
      const secrets = new Map(Object.entries(await read(path)))
      edit(secrets)
      await replace(path, Object.fromEntries(secrets))
    })
  }

  return {
    isEncrypted: async () => false,
    async get(name) {
      const given = env[`TSUGI_SECRET_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`]
      if (given !== undefined && given !== '') return given
      const secrets = await read(path)
      return Object.hasOwn(secrets, name) ? secrets[name] : undefined
    },
    set: (name, value) => change((secrets) => secrets.set(name, value)),
    remove: (name) => change((secrets) => secrets.delete(name)),
  }
}

async function read(path: string): Promise<StoredSecrets> {
  let text: string
  try {
    text = await readSmallText(path)
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
    if (reason === 'ENOENT') return {}
    throw new AppError({ code: 'store/damaged', path, reason }, { cause })
  }
  const parsed = StoredSecrets.safeParse(parseJson(text))
  if (!parsed.success) throw new AppError({ code: 'store/damaged', path, reason: 'not a list of secrets' })
  return parsed.data
}

// Writes a temporary file and renames it over the old one: a crash leaves the old or the new secrets.
async function replace(path: string, secrets: StoredSecrets): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
