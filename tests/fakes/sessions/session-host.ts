import type { Disk } from '../../../src/main/platform/files/disk.ts'
import type { PageNetwork } from '../../../src/main/web/fetch-page.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import {
  createFakeLlamaServer,
  type FakeLlamaServer,
  type LlamaOptions,
} from '../servers/fake-llama-server.ts'
import { createSessionApp } from './session-app.ts'
import { openSessionPlayer, type SessionPlayer } from './session-player.ts'

/** A whole app without a window, with its own folder and a model whose answers the test gives. */
export type SessionHost = SessionPlayer & {
  llama: FakeLlamaServer
  close(): Promise<void>
  /** A new host over the same data; `meanwhile` runs while there is none. */
  restart(meanwhile?: () => void): Promise<SessionHost>
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
  const { language, disk, isTrusted, decideFirst, pageNetwork, files } = options
  const model = { backend: 'openai', address: llama.address, model: 'fake', flavour: 'llama.cpp' } as const
  const opened = await createSessionApp({
    dataDir,
    ...(sessionId === null ? { model } : {}),
    ...(language === undefined ? {} : { language }),
    ...(disk === undefined ? {} : { disk }),
    ...(decideFirst === undefined ? {} : { decideFirst }),
    ...(pageNetwork === undefined ? {} : { pageNetwork }),
  })
  const player = await openSessionPlayer(opened, {
    root,
    sessionId,
    ...(sessionId === null && files !== undefined ? { files } : {}),
    ...(isTrusted === undefined ? {} : { isTrusted }),
  })
  let isOpen = true
  const end = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await opened.app.close()
  }
  return {
    ...player,
    llama,
    async close() {
      await end()
      await llama.close()
    },
    async restart(meanwhile) {
      await end()
      meanwhile?.()
      return start(options, { ...place, sessionId: player.sessionId })
    },
  }
}
