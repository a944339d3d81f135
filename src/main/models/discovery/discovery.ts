import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundModel } from '../../../shared/domain/model/model-found.ts'
import { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Clock, Log } from '../../deps.ts'
import { SilenceWatch } from '../completion/silence-watch.ts'
import { flavours } from '../flavours/flavours.ts'
import { identifyServer } from './identify-server.ts'
import { ownApis } from './own-apis.ts'

/** The addresses on loopback where servers are looked for. */
export const usualAddresses: readonly string[] = [
  ...Object.values(ownApis),
  ...OpenaiFlavour.options.map((flavour) => flavours[flavour]),
]
  .map(({ usualPort }) => usualPort)
  .filter((port) => port !== null)
  .map((port) => `http://127.0.0.1:${port}`)

const lookupTimeouts = { connectMs: 800, firstTokenMs: 2_000, idleMs: 2_000 }
const limitLookupMs = 3_000
/** Deep enough for `models/author/name/file.gguf`. */
const deepestFolder = 3
const mostFiles = 200

type DiscoveryDeps = {
  clock: Clock
  log: Log
  /** Folders in which GGUF files lie, the data folder's own among them. */
  folders: readonly string[]
  addresses: readonly string[] | undefined
  /** Returns the name to show, the languages that the model writes, and facts. Errors: `model/bad-file`, `file/…`. */
  readFile(file: string): Promise<{
    name: string
    languages: readonly string[]
    contextTokens: number | null
    sizeBytes: number
  }>
}

/**
 * Finds models on this machine that need no form: servers on loopback by GET only, and GGUF files in the known
 * folders. Servers that do not answer and damaged files are left out.
 *
 * Source: `docs/decisions/models.md`, "Discovery": the body's shape decides, never the status.
 */
export async function discover(deps: DiscoveryDeps, signal: AbortSignal): Promise<FoundModel[]> {
  const servers = (deps.addresses ?? usualAddresses).map((address) => lookAt(deps.clock, address, signal))
  const files = findFiles(deps, signal)
  const found = await Promise.all([...servers, files])
  signal.throwIfAborted()
  return found.flat().filter((model) => model !== null)
}

/** Returns the model server at this address; null for anything else. */
async function lookAt(clock: Clock, address: string, signal: AbortSignal): Promise<FoundModel | null> {
  const limit = new SilenceWatch(clock, signal)
  limit.expect('first-token', limitLookupMs)
  try {
    const server = { clock, address, timeouts: lookupTimeouts, key: async () => undefined }
    const found = await identifyServer(server, limit.signal)
    // Any server of OpenAI's API may ask for a key; only a llama-server can be recognised without one.
    const isModelServer =
      found.models.length > 0 || found.flavour === undefined || found.flavour === 'llama.cpp'
    return isModelServer ? found : null
  } catch {
    return null
  } finally {
    limit.close()
  }
}

async function findFiles(deps: DiscoveryDeps, signal: AbortSignal): Promise<FoundModel[]> {
  const lists = await Promise.all([...new Set(deps.folders)].map((folder) => listGguf(folder, deepestFolder)))
  const files = [...new Set(lists.flat())].slice(0, mostFiles)
  const found: FoundModel[] = []
  for (const file of files) {
    if (signal.aborted) break
    try {
      const { name: modelName, languages, contextTokens, sizeBytes } = await deps.readFile(file)
      const facts = { modelName, contextTokens, sizeBytes, languages: [...languages] }
      found.push({ backend: 'embedded', file, ...facts })
    } catch (error) {
      if (!isAppError(error)) throw error
      deps.log.write('warn', 'models.unreadable-file', { code: error.info.code })
    }
  }
  return found
}

/** Returns model files in name order; the first part of a split model stands for all. */
async function listGguf(folder: string, depth: number): Promise<string[]> {
  // A folder that is missing or not readable has no files for us.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const lists = await Promise.all(
    entries
      .sort((left, right) => left.name.localeCompare(right.name))
      .map(async (entry): Promise<string[]> => {
        const path = join(folder, entry.name)
        if (entry.isDirectory())
          return depth > 1 && !entry.name.startsWith('.') ? listGguf(path, depth - 1) : []
        // An image projector only accompanies a model.
        if (!/\.gguf$/i.test(entry.name) || /^mmproj/i.test(entry.name)) return []
        const part = /-(\d{5})-of-\d{5}\.gguf$/i.exec(entry.name)?.[1] ?? '00001'
        return part === '00001' ? [path] : []
      }),
  )
  return lists.flat()
}
