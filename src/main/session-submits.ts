import { join } from 'node:path'
import { createTranslate } from '../shared/i18n/translate.ts'
import type { AuditLog } from './gates/audit-log.ts'
import type { FileKinds } from './gates/risk/file-kinds.ts'
import { secretFiles } from './gates/risk/folder-assessment.ts'
import type { TrustService } from './gates/trust-service.ts'
import { type CommandHooksDeps, createCommandHooks } from './hooks/command-hooks.ts'
import { createImageInterceptor } from './images/image-interceptor.ts'
import type { ImageStore } from './images/image-store.ts'
import type { Language } from './prompts/agent-prompts.ts'
import { chosenEncodings } from './references/read-reference.ts'
import { createReferenceInterceptor, type ReferenceDeps } from './references/reference-interceptor.ts'
import type { SessionPartsInput } from './session-parts.ts'
import { createPromptSubmits } from './sessions/prompt-submit.ts'

export type SessionSubmitsInput = Pick<
  SessionPartsInput,
  'deps' | 'disk' | 'store' | 'settings' | 'workSettings' | 'models' | 'documents'
> &
  Pick<CommandHooksDeps, 'commands' | 'loginEnvironment'> &
  Pick<ReferenceDeps, 'noteUse'> & {
    kinds: FileKinds
    images: ImageStore
    audit: AuditLog
    trust: Pick<TrustService, 'get'>
    /** Returns the language of the window. */
    language(): Language
  }

/** Creates the hooks and interceptors of a message: the user's hooks, then its references, then its images. */
export function createSessionSubmits(input: SessionSubmitsInput) {
  const { deps, disk, store, settings, workSettings, models, documents, images } = input
  const { kinds, audit, trust, commands, loginEnvironment, noteUse } = input
  const { random, log } = deps

  async function seeingModel(signal: AbortSignal) {
    const { client, modelName } = await models.active(signal)
    await client.learn?.(signal)
    return { takesImages: client.capabilities.hasImages === true, modelName }
  }

  /** Returns null where the model in use takes no images. */
  async function seenImages(): Promise<ImageStore | null> {
    return (await seeingModel(new AbortController().signal)).takesImages ? images : null
  }

  const references = createReferenceInterceptor({
    secretFiles: (root) => secretFiles(disk, kinds, root),
    openText: (root, path) => documents.openText(join(root, path)),
    encodings(sessionId) {
      const { workId } = store.sessions.get(sessionId).session
      return chosenEncodings({
        get: () => store.works.getState(workId, 'reference-encodings'),
        set: (choices) => store.works.setState(workId, 'reference-encodings', choices),
      })
    },
    limitBytes: () => settings.get().attachedFileLimit,
    client: async (signal) => (await models.active(signal)).client,
    noteSecret(sessionId, { path, hash }) {
      const subject = { tool: 'attach_file', subject: path, risk: 'high' } as const
      if (hash === null) audit.stopped(sessionId, subject, 'refused', null)
      else audit.passed(sessionId, subject, 'approved', { callId: '', by: 'user', name: null, hash })
    },
    noteUse,
    images: seenImages,
  })
  const submits = createPromptSubmits(log)
  submits.observe(
    createCommandHooks({
      commands,
      disk,
      random,
      log,
      audit,
      loginEnvironment,
      folder: join(deps.dataDir, 'hooks'),
      hooksOf: (sessionId) => workSettings.get(store.sessions.get(sessionId).session.workId).submitHooks,
      isTrusted: (root) => trust.get(root).isTrusted,
      words: () => createTranslate(input.language()),
    }),
  )
  submits.intercept(references)
  submits.intercept(createImageInterceptor({ model: seeingModel }))
  return { submits, references, seenImages }
}
