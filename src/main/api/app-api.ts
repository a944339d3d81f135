import type { documentContract } from '../../shared/contract/document.ts'
import type { hostContract } from '../../shared/contract/host.ts'
import { type Api, contract, sessionGroupContract } from '../../shared/contract/index.ts'
import { loreContract } from '../../shared/contract/lore.ts'
import type { unsentContract } from '../../shared/contract/message.ts'
import type { ApiOf, CallContext, Contract } from '../../shared/contract/method.ts'
import { catalogueContract } from '../../shared/contract/model.ts'
import type { findContract, publishingContract } from '../../shared/contract/work.ts'
import { AppError } from '../../shared/errors.ts'
import type { Shell } from '../deps.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { FindService } from '../find/find-service.ts'
import type { HostState } from '../lifecycle/host-state.ts'
import type { ModelDownloads } from '../models/catalogue/model-downloads.ts'
import { createFolder, listFolder } from '../platform/files/folder-listing.ts'
import type { PublishingService } from '../publishing/publishing-service.ts'
import type { UnsentMessages } from '../sessions/unsent-messages.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import { done } from './done.ts'
import { createDraftApi } from './draft-api.ts'
import { createModelApi } from './model-api.ts'
import { createWorkApi } from './work-api.ts'

/** The contract of a host with the API that implements it. */
export type Offer = { api: Api; contract: typeof contract }

/** The services of each part of the API. `memory`, `downloads` and `sessions` are loaded at the first call to them. */
export type AppApiParts = {
  host: Parameters<typeof createHostApi>[0]
  work: Parameters<typeof createWorkApi>[0]
  publishing: Parameters<typeof createPublishingApi>[0]
  finding: Parameters<typeof createFindApi>[0]
  memory: () => Promise<ApiOf<typeof loreContract>>
  documents: Parameters<typeof createDocumentApi>[0]
  models: Parameters<typeof createModelApi>[0]
  downloads: () => Promise<ModelDownloads>
  drafts: Parameters<typeof createDraftApi>[0]
  sessions: () => Promise<ApiOf<typeof sessionGroupContract>>
  unsent: Parameters<typeof createUnsentApi>[0]
}

/** Creates the whole API. Loaded with the first window: creating the contract's schemas is much of a start's work. */
export function createAppApi(parts: AppApiParts): Offer {
  return {
    contract,
    api: {
      ...createHostApi(parts.host),
      ...createWorkApi(parts.work),
      ...createPublishingApi(parts.publishing),
      ...createFindApi(parts.finding),
      ...createLateApi(loreContract, parts.memory),
      ...createDocumentApi(parts.documents),
      ...createModelApi(parts.models),
      ...createLateApi(catalogueContract, async () => downloadApi(await parts.downloads())),
      ...createDraftApi(parts.drafts),
      ...createLateApi(sessionGroupContract, parts.sessions),
      ...createUnsentApi(parts.unsent),
    },
  }
}

/**
 * Creates the methods of a part of the product that is loaded when one of them is first called.
 *
 * Errors: each method also has those of `load`, which every call calls.
 */
export function createLateApi<C extends Contract>(contract: C, load: () => Promise<ApiOf<C>>): ApiOf<C> {
  type AnyApi = Record<string, (input: unknown, context: CallContext) => unknown>
  const methods = Object.entries(contract).map(([name, { kind }]) => {
    const method = async (input: unknown, context: CallContext): Promise<unknown> =>
      // The contract's entries are called by name here, so that their types are lost.
      ((await load()) as AnyApi)[name]?.(input, context)
    const stream = async function* (input: unknown, context: CallContext): AsyncGenerator<unknown> {
      yield* (await method(input, context)) as AsyncIterable<unknown>
    }
    return [name, kind === 'stream' ? stream : method] as const
  })
  return Object.fromEntries(methods) as ApiOf<C>
}

/** Creates the API of finding and replacing in a work; its service is loaded with the first search. */
function createFindApi(load: () => Promise<FindService>): Pick<Api, keyof typeof findContract> {
  return {
    'work.find': async ({ workId, query, replacement }) => (await load()).find(workId, query, replacement),
    'work.ask': async ({ workId, question }) => (await load()).ask(workId, question),
    'work.replace': async ({ workId, chosen }) => (await load()).replace(workId, chosen),
    'work.undoReplace': async ({ workId, replaceId }) => (await load()).undo(workId, replaceId),
  }
}

/** Creates the API of export and import; its service is loaded at the first call, since it needs large libraries. */
function createPublishingApi(
  load: () => Promise<PublishingService>,
): Pick<Api, keyof typeof publishingContract> {
  return {
    'work.texts': async ({ workId, paths }) => ({ texts: await (await load()).texts(workId, paths) }),
    'work.exportText': async ({ workId, target, options, mayReplace, paths }) =>
      (await load()).exportText(workId, target, options, mayReplace ?? false, paths),
    'work.importText': async ({ workId, file }) => ({ paths: await (await load()).importText(workId, file) }),
  }
}

/** The catalogue of models, and downloads from it. */
function downloadApi(downloads: ModelDownloads): ApiOf<typeof catalogueContract> {
  return {
    'catalogue.watch': (_input, { signal }) => downloads.watch(signal),
    'download.start': done(({ modelId, areTermsAccepted }) => downloads.start(modelId, areTermsAccepted)),
    'download.pause': done(({ modelId }) => downloads.pause(modelId)),
    'download.cancel': done(({ modelId }) => downloads.cancel(modelId)),
    'download.remove': done(({ modelId }) => downloads.remove(modelId)),
  }
}

/** Creates the API of unsent messages. */
function createUnsentApi(unsent: UnsentMessages): Pick<Api, keyof typeof unsentContract> {
  return {
    'unsent.watch': ({ workId }, { signal }) => unsent.watch(workId, signal),
    'unsent.keep': async ({ workId, message }) => ({ seq: unsent.keep(workId, message) }),
  }
}

/** Open documents and their history. `rootOf`: the folder of an open work; errors: `work/not-open`. */
function createDocumentApi(parts: {
  documents: DocumentService
  rootOf: (workId: string) => string
}): Pick<Api, keyof typeof documentContract> {
  const { documents, rootOf } = parts
  return {
    'document.watch': ({ workId, path, afterVersion }, { signal }) =>
      documents.watch({ root: rootOf(workId), path, afterVersion }, signal),
    'document.change': async (input) => documents.change(input),
    'document.save': ({ documentId }) => documents.save(documentId),
    'document.resolveConflict': ({ documentId, choice }) => documents.resolveConflict(documentId, choice),
    'document.diskText': async ({ documentId }) => {
      const { disk, base } = await documents.conflictTexts(documentId)
      return { text: disk, base }
    },
    'document.mergeConflict': ({ documentId, mine, disk, text }) =>
      documents.mergeConflict(documentId, { mine, disk, text }),
    'document.saveAsUtf8': ({ documentId }) => documents.saveAsUtf8(documentId),
    'history.list': async ({ documentId }) => ({ entries: documents.history(documentId) }),
    'history.read': async ({ documentId, entryId }) => ({ text: documents.readHistory(documentId, entryId) }),
    'history.restore': async ({ documentId, entryId }) => documents.restoreHistory(documentId, entryId),
    'history.snapshot': async ({ documentId }) => ({ entry: documents.snapshot(documentId) }),
  }
}

/** The host itself, its settings and its folder picker. */
export function createHostApi(parts: {
  state: Pick<HostState, 'info' | 'watch'>
  /** Hears the language of a browser whose window has connected. */
  heardLanguage(language: string | undefined): void
  expectWindow(): void
  settings: SettingsService
  shell: Shell
}): Pick<Api, keyof typeof hostContract> {
  const { settings, shell } = parts
  return {
    async 'host.info'({ language }) {
      parts.heardLanguage(language)
      parts.expectWindow()
      return parts.state.info()
    },
    'host.watch': (_input, { signal }) => parts.state.watch(signal),
    'host.keyStore': async () => ({ isEncrypted: await shell.secrets.isEncrypted() }),
    async 'host.notify'(notice) {
      if (shell.notify === undefined)
        throw new AppError({ code: 'rpc/unknown-method', method: 'host.notify' })
      shell.notify(notice)
      return {}
    },
    async 'host.restoreBackup'() {
      throw new AppError({ code: 'rpc/unknown-method', method: 'host.restoreBackup' })
    },
    'settings.get': async () => settings.get(),
    'settings.update': async ({ patch }) => settings.update(patch),
    'settings.watch': (_input, { signal }) => settings.watch(signal),
    'folder.list': async ({ path }) => listFolder(path),
    'folder.create': async ({ parent, name }) => ({ path: await createFolder(parent, name) }),
    'folder.reveal': async ({ path }) => ({ isShown: await shell.reveal(path) }),
    async 'folder.pick'({ purpose, defaultPath }) {
      if (shell.pick === undefined) throw new AppError({ code: 'rpc/unknown-method', method: 'folder.pick' })
      return { path: await shell.pick(purpose, defaultPath) }
    },
  }
}
