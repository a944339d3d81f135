import englishWords from '../../../resources/prompts/en/draft-words.json' with { type: 'json' }
import japaneseWords from '../../../resources/prompts/ja/draft-words.json' with { type: 'json' }
import type { Api } from '../../../src/shared/contract/index.ts'
import { LoreSettings } from '../../../src/shared/domain/lore/lore.ts'
import { addToDay } from '../../../src/shared/domain/work/writing-progress.ts'
import { AppError } from '../../../src/shared/errors.ts'
import type { FakeHost } from './fake-host.ts'
import { referenceApi } from './fake-reference-api.ts'
import { sessionApi } from './fake-session-api.ts'
import { speculationApi } from './fake-speculations.ts'
import { suggestionApi } from './fake-suggestion-api.ts'
import { unsentApi } from './fake-unsent.ts'

/** The whole contract over a fake host. */
export function createFakeApi(host: FakeHost): Api {
  return {
    ...hostApi(host),
    ...workApi(host),
    ...documentApi(host),
    ...modelApi(host),
    ...draftApi(host),
    ...sessionApi(host),
    ...referenceApi(host),
    ...suggestionApi(host),
    ...speculationApi(host),
    ...unsentApi(host),
  }
}

function hostApi(host: FakeHost) {
  return {
    'host.info': async () => ({
      version: '0.1.0',
      kind: host.kind,
      hostId: 'host',
      dataDir: '/home/author/.local/share/tsugi',
      locale: host.locale,
      isLocaleChosen: host.isLocaleChosen,
      hasNativePicker: host.picked !== undefined,
      hasNotices: false,
      openPath: host.openPath,
      damage: null,
    }),
    'host.restoreBackup': async () => ({}),
    'host.notify': async () => ({}),
    'host.keyStore': async () => ({ isEncrypted: false }),
    'host.watch': (_, { signal }) => host.topics.host.follow(signal),
    'settings.get': async () => host.settings,
    'settings.update': async ({ patch }) => {
      const editor = { ...host.settings.editor, ...patch.editor }
      const drafting = { ...host.settings.drafting, ...patch.drafting }
      const layerTokens = { ...host.settings.layerTokens, ...patch.layerTokens }
      host.settings = { ...host.settings, ...patch, editor, drafting, layerTokens }
      host.topics.settings.publish(host.settings)
      return host.settings
    },
    'settings.watch': (_, { signal }) => host.topics.settings.follow(signal, [host.settings]),
    'folder.list': async ({ path = '/home/author' }) => ({
      path,
      parent: path === '/' ? null : path.slice(0, path.lastIndexOf('/')) || '/',
      entries: [
        { name: '刻の迷宮', path: `${path}/刻の迷宮`, kind: 'folder' },
        { name: '潮騒の記録', path: `${path}/潮騒の記録`, kind: 'folder' },
        { name: 'gemma-3-270m-q4.gguf', path: `${path}/gemma-3-270m-q4.gguf`, kind: 'gguf' },
        { name: '断片.txt', path: `${path}/断片.txt`, kind: 'text' },
      ],
      places: [
        { name: 'ホーム', path: '/home/author' },
        { name: '書類', path: '/home/author/書類' },
      ],
      isTruncated: false,
    }),
    'folder.create': async ({ parent, name }) => ({ path: `${parent}/${name}` }),
    'folder.pick': async () => ({ path: (await host.picked) ?? null }),
    'folder.reveal': async () => ({ isShown: false }),
  } satisfies Partial<Api>
}

function workApi(host: FakeHost) {
  return {
    'work.recent': async () => ({
      works: [
        { root: host.work.root, name: host.work.name, openedAt: 2 },
        { root: '/home/author/潮騒の記録', name: '潮騒の記録', openedAt: 1 },
      ],
    }),
    'work.forget': async () => ({}),
    'work.open': async ({ path }) => {
      await host.heldOpening
      if (!path.startsWith(host.work.root)) throw new AppError({ code: 'file/not-found', path })
      return host.work
    },
    'work.openSample': async () => host.work,
    'work.samplePage': async function* () {
      yield { type: 'page', title: host.work.name, text: '　鐘が鳴った。' }
      yield { type: 'text', text: '　十三回目だった。' }
    },
    'work.create': async () => {
      await host.heldCreation
      return host.work
    },
    'work.watch': (_, { signal }) => host.topics.work.follow(signal, [{ type: 'snapshot', work: host.work }]),
    'work.updateDetails': async ({ patch }) => {
      host.work = { ...host.work, details: { ...host.work.details, ...patch } }
      return { details: host.work.details }
    },
    'work.addWritten': async ({ written }) => {
      const days = addToDay(host.work.progress.days, written)
      host.work = { ...host.work, progress: { ...host.work.progress, days } }
      host.topics.work.publish({ type: 'progress', progress: host.work.progress })
      return {}
    },
    'work.setGoal': async ({ goal }) => {
      host.work = { ...host.work, progress: { ...host.work.progress, goal } }
      host.topics.work.publish({ type: 'progress', progress: host.work.progress })
      return {}
    },
    'work.repairFile': async () => {
      const movedTo = host.work.workFileProblem === null ? null : 'work.broken.json'
      host.work = { ...host.work, workFileProblem: null }
      host.topics.work.publish({ type: 'work-file', problem: null })
      return { movedTo }
    },
    'work.watchSettings': (_, { signal }) => host.topics.workSettings.follow(signal, [host.workSettings]),
    'work.updateSettings': async ({ patch }) => {
      host.workSettings = { ...host.workSettings, ...patch }
      host.topics.workSettings.publish(host.workSettings)
      return host.workSettings
    },
    'work.setLastPath': async () => ({}),
    'work.keepPlace': async () => ({}),
    'work.createFile': async ({ path, kind = 'manuscript' }) => {
      await host.heldCreation
      host.addDocument(path, '')
      const order = host.work.files.length
      host.setFiles([...host.work.files, { path, kind, characters: 0, order }])
      return { path }
    },
    'work.renameFile': async ({ path, newPath }) => {
      host.setFiles(host.work.files.map((file) => (file.path === path ? { ...file, path: newPath } : file)))
      return { path: newPath }
    },
    'work.removeFile': async ({ path }) => {
      host.setFiles(host.work.files.filter((file) => file.path !== path))
      return { undoId: path }
    },
    'work.restoreFile': async ({ undoId }) => {
      host.setFiles([...host.work.files, { path: undoId, kind: 'manuscript', order: 99 }])
      return { path: undoId }
    },
    'work.removed': async () => ({ files: [] }),
    'work.removedHistory': async () => ({ entries: [] }),
    'work.readRemoved': async () => ({ text: '' }),
    'work.restoreRemoved': async ({ removedId }) => ({ path: removedId }),
    'work.setKind': async ({ path, kind }) => {
      const { files } = host.work
      host.setFiles(files.map((file) => (file.path === path ? { ...file, kind } : file)))
      return {}
    },
    'work.setPage': async ({ path, page }) => {
      const { files } = host.work
      host.setFiles(
        files.map(({ page: _, ...file }) => (file.path === path && page ? { ...file, page } : file)),
      )
      return {}
    },
    'work.reorder': async ({ paths }) => {
      const rank = (path: string) => (paths.includes(path) ? paths.indexOf(path) : paths.length)
      const files = host.work.files.toSorted((a, b) => rank(a.path) - rank(b.path))
      host.setFiles(files.map((file, order) => ({ ...file, order })))
      return {}
    },
    'work.exportProject': async ({ target }) => ({ path: target }),
    'work.texts': async ({ paths }) => ({
      texts: host.work.files
        .filter(({ path, kind }) => kind === 'manuscript' && (paths?.includes(path) ?? true))
        .map(({ path }) => ({ path, text: host.documents.get(path)?.authority.text ?? '' })),
    }),
    'work.exportText': async ({ target, mayReplace }) => {
      if (host.exports.has(target) && !mayReplace) throw new AppError({ code: 'file/exists', path: target })
      host.exports.add(target)
      return { path: target, count: 1 }
    },
    'work.importText': async () => ({ paths: [] }),
    'lore.list': async () => host.lore,
    'lore.update': async ({ path, patch }) => ({
      entry: { ...LoreSettings.parse(patch), path, name: path, text: '', textFrom: 0, problems: [] },
    }),
    'lore.mentions': async () => ({ chapters: [], total: 0, isTruncated: false, unread: [], failedKeys: [] }),
    'lore.check': async function* () {
      yield { type: 'begun', entries: 0, pairs: 0, failedKeys: [], off: [], unread: [] }
    },
    'lore.answer': async function* () {
      yield { type: 'places', quotations: [], unread: [], given: 0 }
    },
    'lore.planImport': async ({ file }) => ({
      file,
      hash: '',
      format: 'sillytavern',
      entries: [],
      empty: 0,
      tooMany: 0,
    }),
    'lore.import': async () => ({ paths: [] }),
    'lore.export': async ({ target }) => ({ path: target, count: 3, ...host.exportedLore }),
    'summary.list': async () => {
      if (host.failedSummaryList !== null) throw new AppError(host.failedSummaryList)
      return host.summaries
    },
    'summary.make': async function* ({ targets }, { signal }) {
      for (const target of targets.keys()) {
        yield { type: 'piece', target, targets: targets.length, piece: 0, pieces: 1 } as const
        await Promise.race([host.heldSummary, aborted(signal)])
        if (host.failedSummary !== null) throw new AppError(host.failedSummary)
        yield { type: 'made', target } as const
      }
    },
    'summary.whileIdle': async function* () {
      yield { state: 'waiting', path: null, error: null, made: 0 } as const
    },
    'summary.edit': async () => host.onSummaryEdit(),
    'summary.accept': async ({ takeId, text, replaces }) => {
      const { episodes, whole } = host.summaries
      const known = [...episodes, whole].find(({ offer }) => offer?.takeId === takeId)
      if (known?.text !== replaces)
        throw new AppError({ code: 'file/changed', path: (known ?? episodes[0])?.file ?? '' })
      Object.assign(known, { text, offer: null })
      return {}
    },
    'summary.discard': async () => ({}),
    'summary.offer': async () => ({}),
    'work.find': async () => host.foundInWork,
    'work.ask': async () => ({ quotations: host.quotations, unread: [] }),
    'work.replace': async () => ({ replaceId: 'replace-1', count: 0, files: 0, changed: [], failed: [] }),
    'work.undoReplace': async () => ({ files: 0, changed: [], failed: [] }),
  } satisfies Partial<Api>
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => signal.addEventListener('abort', () => done()))
}

function documentApi(host: FakeHost) {
  return {
    'document.watch': ({ path, afterVersion }, { signal }) => {
      const document = host.documents.get(path)
      if (!document) throw new AppError({ code: 'file/not-found', path })
      return document.watch(afterVersion, signal)
    },
    'document.change': async ({ documentId, clientId, baseVersion, changes, origin }) =>
      host
        .byId(documentId)
        .authority.change({ documentId, baseVersion, changes, ...(origin ? { origin } : {}) }, clientId),
    'document.save': async ({ documentId }) => ({ version: host.byId(documentId).authority.version }),
    'document.resolveConflict': async ({ documentId }) => {
      host.byId(documentId).events.publish({ kind: 'conflict-ended' })
      return host.byId(documentId).authority.snapshot()
    },
    'document.diskText': async () => ({ base: null, text: '　時計の針が止まった。\n' }),
    'document.mergeConflict': async ({ documentId }) => host.byId(documentId).authority.snapshot(),
    'document.saveAsUtf8': async ({ documentId }) => ({ version: host.byId(documentId).authority.version }),
    'history.list': async () => ({ entries: host.history }),
    'history.read': async () => ({ text: '　時計の針が止まった。\n' }),
    'history.restore': async ({ documentId }) => ({ version: host.byId(documentId).authority.version }),
    'history.snapshot': async ({ documentId }) => {
      const { path } = host.byId(documentId)
      const entry = {
        id: `h${host.history.length}`,
        path,
        at: 0,
        reason: 'manual' as const,
        characters: 1,
        words: 0,
      }
      host.history.push(entry)
      return { entry }
    },
  } satisfies Partial<Api>
}

function modelApi(host: FakeHost) {
  return {
    'profile.list': async () => ({ profiles: host.profiles }),
    'profile.watch': (_, { signal }) => host.topics.profiles.follow(signal, [{ profiles: host.profiles }]),
    'profile.save': async ({ profile }) => {
      const at = host.profiles.findIndex(({ id }) => id === profile.id)
      if (at !== -1) host.profiles[at] = profile
      host.topics.profiles.publish({ profiles: [...host.profiles] })
      return { profile }
    },
    'profile.remove': async () => ({}),
    'profile.select': async ({ profileId, role }) => {
      host.settings = { ...host.settings, [`${role}ProfileId`]: profileId }
      host.topics.settings.publish(host.settings)
      return {}
    },
    'model.discover': async () => ({ found: host.found }),
    'model.identify': async ({ address }) => {
      if (host.server === null) throw new AppError({ code: 'model/unreachable', address })
      return { found: { ...host.server, address } }
    },
    'model.use': async () => {
      throw new AppError({ code: 'model/unreachable', address: 'http://127.0.0.1:5001' })
    },
    'model.watch': (_, { signal }) => host.topics.model.follow(signal, [host.model]),
    'model.probe': async () => ({
      modelName: 'Gemma 3 270M',
      contextTokens: 8192,
      tokensPerSecond: 31,
      canCountTokens: true,
      canConstrain: true,
      canCallTools: true,
      continuation: null,
      error: null,
    }),
    'sampler.list': async () => ({ presets: host.presets }),
    'sampler.save': async ({ preset }) => ({ preset }),
    'sampler.remove': async () => ({}),
    'template.list': async () => ({
      templates: [
        { id: 'mistral', name: 'Mistral' },
        { id: 'chatml', name: 'ChatML' },
        { id: 'plain', name: 'Plain' },
      ],
    }),
    'starter.watch': (_, { signal }) => host.topics.starter.follow(signal, [host.starter]),
    'starter.terms': async () => ({ text: 'Terms' }),
    'starter.fetch': async () => ({}),
    'starter.cancel': async () => ({}),
    'toolServer.watch': (_, { signal }) =>
      host.topics.toolServers.follow(signal, [{ servers: host.toolServers }]),
    'toolServer.proposed': async () => ({ servers: [], problems: [], isReadable: true }),
    'toolServer.start': async () => ({}),
    'toolServer.setKey': async () => ({}),
    'image.add': async ({ name, data }) => host.addImage(name, data),
    'image.get': async ({ imageId }) => host.imageOf(imageId),
    'catalogue.watch': (_, { signal }) => host.topics.catalogue.follow(signal, [host.catalogue]),
    'download.start': async () => ({}),
    'download.pause': async () => ({}),
    'download.cancel': async () => ({}),
    'download.remove': async () => ({}),
  } satisfies Partial<Api>
}

const noWords = { words: [], limit: 10, untold: 0, promptTokens: null, reusedTokens: null }

function draftApi(host: FakeHost) {
  return {
    'draft.preview': async () => host.preview,
    'draft.start': async ({ path, endAt, mode, ideaTarget, ideaOf }) => {
      await host.runs.held
      const position = endAt ?? host.documents.get(path)?.authority.text.length ?? 0
      const change = { mode, ideaTarget, ...(ideaOf === undefined ? {} : { placeId: ideaOf }) }
      return { run: host.runs.start(path, position, change) }
    },
    'draft.ideaWords': async () => ({ ja: japaneseWords, en: englishWords }),
    'draft.rewrites': async () => ({
      ja: [{ name: '書き直す', instruction: '読みやすくする。' }],
      en: [{ name: 'Rewrite', instruction: 'Make it easier to read.' }],
    }),
    'draft.words': async ({ at }) => ({ at, ...noWords }),
    'draft.stopEndless': async () => ({}),
    'draft.watchEndless': (_, { signal }) => host.runs.endlessTopic.follow(signal, [{ endless: null }]),
    'draft.tellSummaries': async () => ({}),
    'draft.reroll': async () => ({}),
    'draft.fixRoll': async () => ({}),
    'run.list': async () => ({ runs: host.runs.list() }),
    'run.watch': ({ runId, afterSeq }, { signal }) => host.runs.watch(runId, afterSeq, signal),
    'run.stop': async ({ runId }) => {
      host.runs.end(runId, 'stopped')
      return {}
    },
    'take.list': async ({ path, mode }) => {
      const takes = [...host.runs.takes.values()]
        .filter((take) => path === undefined || take.path === path)
        .filter((take) => mode === undefined || take.mode === mode)
        .sort((a, b) => b.createdAt - a.createdAt)
      await host.runs.listHeld
      return { takes, hasMore: false }
    },
    'take.get': async ({ takeId }) => {
      const take = host.runs.takes.get(takeId)
      if (!take) throw new AppError({ code: 'take/not-found', takeId })
      return { take, prompt: host.preview.parts, rolls: [], sampler: { temperature: 0.8 }, seed: 7 }
    },
    'take.update': async ({ takeId, state, acceptedLength }) => {
      const take = host.runs.takes.get(takeId)
      if (!take) throw new AppError({ code: 'take/not-found', takeId })
      const next = {
        ...take,
        state: state ?? take.state,
        acceptedLength: acceptedLength ?? take.acceptedLength,
      }
      host.runs.putTake(next)
      return { take: next }
    },
    'take.watch': (_, { signal }) => host.runs.takeTopic.follow(signal),
  } satisfies Partial<Api>
}
