import { type BigIntStats, statSync } from 'node:fs'
import { lstat, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, errorCode } from '../platform/files/disk.ts'
import { readSmallFile } from '../platform/files/read-regular-file.ts'

/** The entries of `/etc` that programs need. Other files hold keys, which a command of root could read. */
const names = [
  'alternatives',
  'bash.bashrc',
  'ca-certificates',
  'ca-certificates.conf',
  'crypto-policies',
  'debian_version',
  'default/locale',
  'fonts',
  'gai.conf',
  'gitconfig',
  'group',
  'host.conf',
  'hostname',
  'hosts',
  'inputrc',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ld.so.preload',
  'locale.alias',
  'locale.conf',
  'localtime',
  'login.defs',
  'lsb-release',
  'magic',
  'magic.mime',
  'manpath.config',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki/ca-trust',
  'pki/tls/certs',
  'profile',
  'profile.d',
  'protocols',
  'redhat-release',
  'rpc',
  'services',
  'shells',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
]

/** The copy that commands see as `/etc`. Shape: `folders` of the host are mounted over those of the same name. */
export type EtcCopy = { path: string; folders: string[] }

/**
 * Keeps copies of the files of `/etc` that a command sees: each mount costs half a millisecond, and these are about thirty.
 *
 * The name of a copy identifies the versions of its files, so that an outdated copy is not used. Copies of earlier
 * hosts are removed: they are not synced, and may be incomplete after a crash.
 */
export function createEtcCopies(
  disk: Pick<Disk, 'writeNew'>,
  top: string,
  etc = '/etc',
): (runId: string) => Promise<EtcCopy> {
  let swept: Promise<void> | undefined

  /** Copies the files; leaves out those that cannot be read, since a command could not read them either. */
  async function copy(found: readonly Found[], into: string): Promise<void> {
    await mkdir(into, { recursive: true })
    for (const { name, stats } of found) {
      const place = join(into, name)
      await mkdir(stats.isDirectory() ? place : dirname(place), { recursive: true })
      if (stats.isDirectory()) continue
      const bytes = await readSmallFile(join(etc, name)).catch(() => null)
      if (bytes !== null) await disk.writeNew(place, bytes, { mode: 0o644, isSynced: false })
    }
  }

  return async (runId) => {
    const found = foundIn(etc)
    const id = contentHash(JSON.stringify(found.map(identity))).slice(0, 32)
    const path = join(top, id)
    swept ??= rm(top, { recursive: true, force: true })
    await swept
    if ((await lstat(path).catch(() => undefined)) === undefined) {
      const unfinished = `${path}.${runId}`
      await copy(found, unfinished)
      try {
        await rename(unfinished, path)
      } catch (error) {
        // Another run made it at the same time.
        if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
        await rm(unfinished, { recursive: true })
      }
    }
    const folders = found.filter(({ stats }) => stats.isDirectory())
    return { path, folders: folders.map(({ name }) => join(etc, name)) }
  }
}

type Found = { name: string; stats: BigIntStats }

/** Finds the entries synchronously: they are on a local disk, where awaiting each would cost more than reading it. */
function foundIn(etc: string): Found[] {
  return names.flatMap((name) => {
    try {
      const stats = statSync(join(etc, name), { bigint: true })
      return stats.isFile() || stats.isDirectory() ? [{ name, stats }] : []
    } catch {
      // The file is missing or unreadable: the copy goes without it.
      return []
    }
  })
}

function identity({ name, stats }: Found): string[] {
  const { ino, dev, size, mtimeNs, ctimeNs } = stats
  return stats.isDirectory() ? [name] : [name, ...[ino, dev, size, mtimeNs, ctimeNs].map(String)]
}
