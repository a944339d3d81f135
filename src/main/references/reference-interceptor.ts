import { onAppError } from '../../shared/errors.ts'
import type { AuditLog } from '../gates/audit-log.ts'
import type { ModelClient } from '../models/client/model-client.ts'
import type { PromptSubmit, SubmitInterceptor, SubmitItem } from '../sessions/prompt-submit.ts'
import { estimateTextTokens } from '../tokens/token-estimate.ts'
import { resultBytesFor } from '../tools/defining/result-text.ts'
import type { ChosenEncodings } from './read-reference.ts'
import {
  checkReferences,
  type ResolvedReference,
  type ResolveInput,
  resolveReferences,
} from './resolve-references.ts'

type ReferenceDeps = {
  secretFiles(root: string): (path: string) => Promise<boolean>
  /** Shape: `path` is the real one in the folder. Undefined where the file is not open. */
  openText(root: string, path: string): Promise<{ text: string; isUnsaved: boolean } | undefined>
  /** The choices of encoding for the folder that the session works in. */
  encodings(sessionId: string): ChosenEncodings
  /** The limit that the user chose; null: as for a tool's result. Units: bytes of a file's text. */
  limitBytes(): number | null
  /** Errors: `model/none`. */
  client(signal: AbortSignal): Promise<Pick<ModelClient, 'contextWindow' | 'countTokens'>>
  audit: Pick<AuditLog, 'passed' | 'stopped'>
  /** Keeps images of the folder; null where the model in use takes none. */
  images: ResolveInput['images']
  /** A file was named: completion offers it sooner. */
  noteUse(root: string, path: string): void
}

/** Creates the interceptor that attaches the files of a message as items behind the message. */
export function createReferenceInterceptor(deps: ReferenceDeps): SubmitInterceptor & {
  /** Checks for a queued message whether the user must be asked about secrets. Errors: `reference/secret`. */
  check(submit: PromptSubmit): Promise<void>
} {
  const inputOf = ({ sessionId, folder, references }: PromptSubmit) => ({
    operations: folder.operations,
    openText: (path: string) => deps.openText(folder.root, path),
    isSecret: deps.secretFiles(folder.root),
    answers: references,
    images: deps.images,
    encodings: deps.encodings(sessionId),
  })

  async function budget({ signal }: PromptSubmit): ReturnType<ResolveInput['budget']> {
    const client = await deps.client(signal)
    const contextTokens = (await client.contextWindow(signal))?.tokens ?? null
    return {
      contextTokens,
      limitBytes: deps.limitBytes() ?? resultBytesFor(contextTokens),
      count: (text) => countTokens(client, text, signal),
    }
  }

  return {
    name: 'references',
    check: (submit) => checkReferences(submit.segments, inputOf(submit)),
    async onPromptSubmit(submit) {
      const { sessionId, segments, folder } = submit
      const input = { ...inputOf(submit), budget: () => budget(submit) }
      const { files, modelText } = await resolveReferences(segments, input)
      for (const { file, known, isSecret } of files) {
        if (known !== null) deps.noteUse(folder.root, known.path)
        const { path, state } = file
        const subject = { tool: 'attach_file', subject: path, risk: 'high' } as const
        const record = { callId: '', by: 'user', name: null, hash: known?.hash ?? '' } as const
        if (isSecret && state === 'ok') deps.audit.passed(sessionId, subject, 'approved', record)
        if (isSecret && state === 'refused') deps.audit.stopped(sessionId, subject, 'refused', null)
      }
      const items = files.map((file) => submitItem(file, modelText))
      return items.length === 0 ? { kind: 'continue' } : { kind: 'continueWith', items }
    },
  }
}

function submitItem({ file, known }: ResolvedReference, modelText: string): SubmitItem {
  if (file.state !== 'ok') return { item: file, entry: null, modelText }
  const { image, text } = file
  const entry: SubmitItem['entry'] =
    image === undefined
      ? { role: 'system', kind: 'file', text }
      : { role: 'user', kind: 'file', text, images: [image] }
  if (known === null) return { item: file, entry }
  return { item: { ...file, known }, entry: { ...entry, file: known } }
}

/** Counts tokens; estimates where the server cannot count now, so that the message can still be sent. */
async function countTokens(
  { countTokens: count }: Pick<ModelClient, 'countTokens'>,
  text: string,
  signal: AbortSignal,
): Promise<number> {
  if (count === null) return estimateTextTokens(text)
  const tokens = await count(text, signal, { isPiece: true }).catch(onAppError(0))
  return tokens > 0 ? tokens : estimateTextTokens(text)
}
