import type { AddedFolder, FolderAssessment } from '../../shared/domain/app/added-folder.ts'
import type { GateView } from '../../shared/domain/session/gate.ts'
import { AppError } from '../../shared/errors.ts'
import type { AgentWords } from '../agent/model/prompt/agent-words.ts'
import type { AuditLog } from '../gates/audit-log.ts'
import type { FolderOffers } from '../gates/folder-offer.ts'
import type { GateService } from '../gates/gate-service.ts'
import type { TrustService } from '../gates/trust-service.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { pathBelow, pathIn } from '../tools/defining/root-path.ts'
import { projectInstructions } from './folder-texts.ts'
import type { OpenSession } from './session-host.ts'

type SessionFolderDeps = {
  offers: Pick<FolderOffers, 'look'>
  trust: Pick<TrustService, 'get' | 'set'>
  gates: Pick<GateService, 'setFolders' | 'openGates' | 'withdraw' | 'readFilter'>
  words(language: 'ja' | 'en'): Pick<AgentWords, 'folder' | 'folderRules'>
  decode(bytes: Uint8Array, path: string): string
  audit: Pick<AuditLog, 'passed' | 'stopped'>
}

export type SessionFolderList = ReturnType<typeof createSessionFolders>

/** The folders that were added to sessions. Only the user adds, removes and trusts them. */
export function createSessionFolders(deps: SessionFolderDeps) {
  const { offers, trust, gates } = deps

  function put({ session }: Pick<OpenSession, 'session'>, folders: readonly AddedFolder[]): void {
    session.setFolders(folders)
    const paths = folders.map(({ path }) => path)
    gates.setFolders(session.sessionId, paths)
  }

  function need({ session }: OpenSession, path: string): AddedFolder {
    const folder = session.folders.find((one) => one.path === path)
    if (folder === undefined) throw new AppError({ code: 'folder/not-added', path })
    return folder
  }

  async function look({ session, folder }: OpenSession, path: string): Promise<FolderAssessment> {
    const added = session.folders.map((one) => one.path)
    const offer = await offers.look({ root: folder.root, added }, path)
    return { ...offer, isTrusted: trust.get(offer.path).isTrusted }
  }

  /** Tells the model the instructions of a trusted folder, which stay in the prompt. */
  async function tellRules(open: OpenSession, path: string): Promise<void> {
    const { session, folder } = open
    const isFree = await gates.readFilter({ sessionId: session.sessionId, root: folder.root })
    const mayRead = (at: string): boolean => isFree(pathIn(path, at))
    const rules = await projectInstructions(folder.operationsIn(path), deps.decode, mayRead)
    if (rules === null) return
    const text = deps.words(session.language).folderRules(path, rules)
    open.runner.tell({ role: 'system', kind: 'instructions', text, told: { [`instructions ${path}`]: '' } })
  }

  function noteAdded(sessionId: string, path: string): void {
    const record = { callId: '', by: 'user', name: null, hash: contentHash(path) } as const
    const subject = { tool: 'add_folder', subject: path, risk: 'high' } as const
    deps.audit.passed(sessionId, subject, 'approved', record)
  }

  const say = ({ session, runner }: OpenSession, ...said: Parameters<AgentWords['folder']>): void =>
    runner.tell({ role: 'user', kind: 'note', text: deps.words(session.language).folder(...said) })

  return {
    /** Applies the stored folders of a session that has just been loaded. */
    restore(open: Pick<OpenSession, 'session'>): void {
      const { folders } = open.session
      if (folders.length === 0) return
      const known = folders.map(({ path }) => ({ path, isTrusted: trust.get(path).isTrusted }))
      put(open, known)
    },
    look,
    /** `path` as `look` gave it. Errors: `folder/refused`. */
    async add(open: OpenSession, path: string, isTrusted: boolean | null): Promise<AddedFolder> {
      const found = await look(open, path)
      // Refused where the name leads elsewhere by now than when the user was asked.
      const problem = found.path === path ? found.problem : (found.problem ?? 'missing')
      const { session } = open
      const isKnown = session.folders.some((one) => one.path === path)
      if (problem !== null || isKnown) {
        throw new AppError({ code: 'folder/refused', path, problem: problem ?? 'inside' })
      }
      const folder = { path, isTrusted: isTrusted ?? found.isTrusted }
      noteAdded(session.sessionId, path)
      put(open, [...session.folders, folder])
      // Every session that works there is told, this one included.
      if (isTrusted !== null && isTrusted !== found.isTrusted) trust.set(path, isTrusted)
      session.add({ kind: 'folder', change: 'added', path })
      say(open, 'Added', path)
      if (!folder.isTrusted) say(open, 'Untrusted', path)
      else await tellRules(open, path)
      return folder
    },
    /** Errors: `folder/not-added`. */
    remove(open: OpenSession, path: string): void {
      need(open, path)
      const { session, runner } = open
      const subject = { tool: 'remove_folder', subject: path, risk: 'high' } as const
      deps.audit.stopped(session.sessionId, subject, 'withdrawn', null)
      const others = session.folders.filter((one) => one.path !== path)
      put(open, others)
      session.add({ kind: 'folder', change: 'removed', path })
      say(open, 'Removed', path)
      for (const gate of gates.openGates(session.sessionId)) {
        if (!isAbout(gate, path)) continue
        gates.withdraw(session.sessionId, gate.gateId)
        runner.voidGate(gate.gateId, null)
      }
    },
    /** Errors: `folder/not-added`. */
    async setTrusted(open: OpenSession, path: string, isTrusted: boolean): Promise<void> {
      if (need(open, path).isTrusted === isTrusted) return
      trust.set(path, isTrusted)
      say(open, isTrusted ? 'Trusted' : 'Untrusted', path)
      if (isTrusted) await tellRules(open, path)
    },
    /** Records the added folders of a session's copy. */
    branched(sessionId: string, folders: readonly string[]): void {
      for (const path of folders) noteAdded(sessionId, path)
    },
    /** Applies the user's decision about a folder's trust, wherever it was made. */
    heardTrust(open: OpenSession, root: string, isTrusted: boolean): void {
      const { folders } = open.session
      if (!folders.some((one) => one.path === root && one.isTrusted !== isTrusted)) return
      const changed = folders.map((one) => (one.path === root ? { path: root, isTrusted } : one))
      put(open, changed)
    },
  }
}

function isAbout({ calls }: GateView, root: string): boolean {
  return calls.some(({ files, command, reads }) => {
    const paths = [...files.flatMap(({ path, to }) => [path, to ?? path]), ...reads]
    return [...paths, ...(command === null ? [] : [command.folder])].some(
      (path) => pathBelow(root, path) !== null,
    )
  })
}
