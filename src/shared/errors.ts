import { z } from 'zod'

/**
 * Why a folder cannot be added. `root`: the whole disk; `home`: the home folder itself or a folder that contains it;
 * `app-data`: the app's own folder, or one that contains it; `secret`: a folder of keys; `inside`: the session already
 * works there; `missing`: there is no such folder.
 */
export const FolderProblem = z.enum(['root', 'home', 'system', 'app-data', 'secret', 'inside', 'missing'])
export type FolderProblem = z.infer<typeof FolderProblem>

/** Why a call is refused without a question, by a rule, an executable target, lack of trust, or the mode. */
export const DenialKind = z.enum(['rule', 'executable', 'untrusted', 'plan-mode'])
export type DenialKind = z.infer<typeof DenialKind>

const code = <C extends string, S extends z.ZodRawShape>(name: C, shape: S) =>
  z.object({ code: z.literal(name), ...shape })

/**
 * Every failure that a user can meet: a code `area/reason` with the data its message needs.
 *
 * The renderer maps codes to text (`i18n`, key `error.<area>/<reason>`); nothing here is shown to the user as it is.
 */
export const ErrorInfo = z.discriminatedUnion('code', [
  code('internal/bug', { logId: z.string() }),
  code('rpc/closed', {}),
  code('rpc/too-slow', {}),
  code('rpc/bad-input', { method: z.string(), issues: z.array(z.string()) }),
  code('rpc/unknown-method', { method: z.string() }),
  code('rpc/aborted', {}),
  code('rpc/too-many', { limit: z.number() }),

  code('file/not-found', { path: z.string() }),
  code('file/denied', { path: z.string() }),
  code('file/exists', { path: z.string() }),
  code('file/read-only', { path: z.string() }),
  code('file/outside', { path: z.string() }),
  code('file/not-text', { path: z.string() }),
  code('file/too-large', { path: z.string(), sizeBytes: z.number(), limitBytes: z.number() }),
  code('file/too-complex', { path: z.string() }),
  code('file/disk-full', { path: z.string() }),
  code('file/changed', { path: z.string() }),
  code('file/unencodable', { path: z.string(), encoding: z.string(), sample: z.string() }),
  code('file/bad-name', { name: z.string() }),
  code('file/failed', { path: z.string(), reason: z.string() }),

  code('undo/version-gone', { path: z.string() }),

  code('document/not-open', { documentId: z.string() }),
  code('document/conflict', { path: z.string() }),
  code('document/bad-version', { documentId: z.string() }),

  code('work/not-open', { workId: z.string() }),
  code('work/bad-file', { path: z.string(), reason: z.string() }),
  code('work/empty', {}),
  code('work/bad-import', { path: z.string() }),
  code('lore/bad-import', { path: z.string() }),
  code('lore/unread-summary', { path: z.string() }),
  code('find/bad-pattern', { reason: z.string() }),
  code('find/too-slow', { timeoutMs: z.number() }),
  code('find/no-undo', {}),

  code('host/in-use', { address: z.string() }),
  code('host/port-in-use', { address: z.string() }),
  code('host/bad-address', { address: z.string(), reason: z.string() }),
  code('host/bad-data-folder', { path: z.string(), reason: z.string() }),
  code('host/tls-needed', { address: z.string() }),
  code('host/bad-tls', { reason: z.string() }),
  code('store/damaged', { path: z.string(), reason: z.string() }),
  code('store/unreadable', { table: z.string() }),
  code('store/newer', { path: z.string(), version: z.number(), known: z.number() }),

  code('model/none', {}),
  code('model/no-probabilities', {}),
  code('model/unreachable', { address: z.string() }),
  code('model/unauthorized', { address: z.string() }),
  code('model/busy', { address: z.string() }),
  code('model/timeout', { phase: z.enum(['connect', 'first-token', 'idle']), timeoutMs: z.number() }),
  code('model/bad-response', { address: z.string(), reason: z.string() }),
  code('model/server-error', { address: z.string(), reason: z.string() }),
  code('model/replaced', { modelName: z.string() }),
  code('model/cut', { address: z.string() }),
  code('model/context-unknown', {}),
  code('model/context-overflow', { usedTokens: z.number(), limitTokens: z.number() }),
  code('model/engine-crashed', { modelFile: z.string() }),
  code('model/bad-file', { path: z.string(), reason: z.string() }),
  code('model/no-images', { modelName: z.string() }),
  code('model/bad-request', { reason: z.string() }),
  code('model/bad-decision', { reason: z.enum(['cut', 'no-object', 'no-json', 'invalid']) }),
  code('tokens/unreachable', {}),

  code('secret/store-locked', {}),

  code('run/not-found', { runId: z.string() }),
  code('run/busy', {}),
  code('take/not-found', { takeId: z.string() }),
  code('profile/not-found', { profileId: z.string() }),

  code('session/not-found', { sessionId: z.string() }),
  code('session/empty-message', {}),
  code('session/question-closed', {}),
  code('session/no-undo', {}),
  code('session/message-too-long', { limit: z.number() }),
  code('session/reset', {}),
  code('session/cancelled', { reason: z.string() }),
  code('image/unreadable', { name: z.string() }),
  code('image/too-large', {
    name: z.string(),
    sizeBytes: z.number(),
    limitBytes: z.number(),
    width: z.number(),
    height: z.number(),
    limitEdge: z.number(),
  }),
  code('image/too-many', { limit: z.number() }),
  code('reference/secret', { paths: z.array(z.string()) }),
  code('folder/refused', { path: z.string(), problem: FolderProblem }),
  code('folder/not-added', { path: z.string() }),
  code('folder/gone', { path: z.string() }),
  code('gate/not-open', { gateId: z.string() }),
  code('gate/too-early', {}),
  code('speculation/denied', { denial: DenialKind, detail: z.string() }),
  code('speculation/asking', {}),
  code('speculation/accepting', {}),
  code('speculation/busy', {}),
  code('speculation/files-gone', {}),

  code('command/no-shell', {}),
  code('command/no-folder', { path: z.string() }),
  code('command/not-read-only', { part: z.string() }),
  code('command/too-long', { sizeBytes: z.number() }),
  code('command/too-many', { limit: z.number() }),
  code('command/not-started', { reason: z.string() }),

  code('mcp/failed', { reason: z.string() }),
  code('mcp/too-large', { limitBytes: z.number() }),
  code('mcp/too-many', { limit: z.number() }),

  code('starter/no-pip', {}),
  code('starter/offline', { reason: z.string() }),
  code('starter/bad-hash', { file: z.string() }),
  code('starter/failed', { reason: z.string() }),

  code('download/offline', { host: z.string(), reason: z.string() }),
  code('download/not-found', { address: z.string() }),
  code('download/refused', { address: z.string(), status: z.number() }),
  code('download/server', { address: z.string(), status: z.number() }),
  code('download/stalled', { host: z.string(), seconds: z.number() }),
  code('download/no-ranges', { host: z.string() }),
  code('download/bad-size', { file: z.string(), sizeBytes: z.number(), expectedBytes: z.number() }),
  code('download/bad-hash', { file: z.string() }),
  code('download/not-a-model', { address: z.string() }),
  code('download/busy', {}),
  code('download/terms', {}),
  code('download/failed', { reason: z.string() }),
])
export type ErrorInfo = z.infer<typeof ErrorInfo>
export type ErrorCode = ErrorInfo['code']

/** A failure that a user can meet. Anything else that is thrown is a bug. */
export class AppError extends Error {
  readonly info: ErrorInfo

  constructor(info: ErrorInfo, options?: { cause?: unknown }) {
    super(info.code, options)
    this.name = 'AppError'
    this.info = info
  }
}

export function isAppError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  wanted?: C,
): error is AppError & { info: Extract<ErrorInfo, { code: C }> } {
  return error instanceof AppError && (wanted === undefined || error.info.code === wanted)
}

/** Returns a handler for `catch` that answers an `AppError`, or one of the `wanted` code, with `value`, and throws all else. */
export function onAppError<T>(value: T, wanted?: ErrorCode): (error: unknown) => T {
  return (error) => {
    if (isAppError(error, wanted)) return value
    throw error
  }
}
