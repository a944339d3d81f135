import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../../src/main/deps.ts'
import type { CallContext } from '../../src/shared/contract/method.ts'
import type { ModelTimeouts } from '../../src/shared/domain/model/model-profile.ts'
import { createSessionApp, type SessionApp } from './session-app.ts'
import { openSessionPlayer, type SessionPlayer } from './session-player.ts'

const context: CallContext = { signal: new AbortController().signal }

/** Files of a folder, by path. */
function writeFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

export type ModelAddress =
  | { backend: 'openai'; address: string; model: string; flavour: 'llama.cpp' }
  | { backend: 'koboldcpp'; address: string }

/** An app with a model, for many sessions in folders of their own. */
export type SessionStage = SessionApp & {
  dataDir: string
  /** How long the model may be silent from now on: shorter than usual, so that a silence is soon one. */
  setTimeouts(timeouts: ModelTimeouts): Promise<void>
  open(root: string, files?: Readonly<Record<string, string | Uint8Array>>): Promise<SessionPlayer>
}

export async function setSessionStage(
  dataDir: string,
  model: ModelAddress,
  parts: { clock?: Clock } = {},
): Promise<SessionStage> {
  const opened = await createSessionApp({ dataDir, ...parts })
  const { api } = opened.app
  const { profile } = await api['model.use'](model, context)
  return {
    ...opened,
    dataDir,
    async setTimeouts(timeouts) {
      await api['profile.save']({ profile: { ...profile, timeouts } }, context)
    },
    async open(root, files = {}) {
      writeFiles(root, files)
      return openSessionPlayer(opened, { root })
    },
  }
}
