import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Disk } from '../../src/main/platform/files/disk.ts'
import type { PageNetwork } from '../../src/main/web/fetch-page.ts'
import type { CallContext } from '../../src/shared/contract/method.ts'
import { createFakeLlamaServer, type FakeLlamaServer, type LlamaOptions } from './fake-llama-server.ts'
import { createSessionApp } from './session-app.ts'
import { openSessionPlayer, type SessionPlayer } from './session-player.ts'
import { tempFolder } from './temp-folder.ts'

const context: CallContext = { signal: new AbortController().signal }

/** A whole app without a window, over a folder of its own and a model that the test speaks for. */
export type SessionHost = SessionPlayer & {
  llama: FakeLlamaServer
  close(): Promise<void>
  /** A new host over the same data. */
  restart(): Promise<SessionHost>
}

export type SessionHostOptions = {
  answer: NonNullable<LlamaOptions['answer']>
  files?: Record<string, string | Uint8Array>
  isTrusted?: boolean
  llama?: Omit<LlamaOptions, 'answer'>
  disk?: Disk
  language?: 'ja' | 'en'
  decideFirst?: 'auto' | 'always'
  pageNetwork?: PageNetwork
  /** Where the session works, and the app's data: folders of the test's own, else new ones. */
  root?: string
  dataDir?: string
}

export async function createSessionHost(options: SessionHostOptions): Promise<SessionHost> {
  const root = options.root ?? tempFolder()
  for (const [path, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const llama = await createFakeLlamaServer({
    contextTokens: 32_768,
    slots: 1,
    template: 'tools',
    ...options.llama,
    answer: options.answer,
  })
  return start(options, { root, dataDir: options.dataDir ?? tempFolder(), llama, sessionId: null })
}

async function start(
  options: SessionHostOptions,
  place: { root: string; dataDir: string; llama: FakeLlamaServer; sessionId: string | null },
): Promise<SessionHost> {
  const { root, dataDir, llama, sessionId } = place
  const { language, disk, isTrusted, decideFirst, pageNetwork } = options
  const opened = await createSessionApp({
    dataDir,
    ...(language === undefined ? {} : { language }),
    ...(disk === undefined ? {} : { disk }),
    ...(decideFirst === undefined ? {} : { decideFirst }),
    ...(pageNetwork === undefined ? {} : { pageNetwork }),
  })
  const { app } = opened
  if (sessionId === null)
    await app.api['model.use'](
      { backend: 'openai', address: llama.address, model: 'fake', flavour: 'llama.cpp' },
      context,
    )
  const player = await openSessionPlayer(opened, {
    root,
    sessionId,
    ...(isTrusted === undefined ? {} : { isTrusted }),
  })
  let isOpen = true
  const end = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await app.close()
  }
  return {
    ...player,
    llama,
    async close() {
      await end()
      await llama.close()
    },
    async restart() {
      await end()
      return start(options, { ...place, sessionId: player.sessionId })
    },
  }
}
