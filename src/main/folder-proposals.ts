import { z } from 'zod'
import type { ProposedServer } from '../shared/domain/app/tool-server.ts'
import { onAppError } from '../shared/errors.ts'
import { type FolderChecks, keptRunsKey } from './checks/turn-checks.ts'
import type { TrustService } from './gates/trust-service.ts'
import { proposalFile, readProposals } from './mcp/proposed-servers.ts'
import type { SessionPartsInput } from './session-parts.ts'
import type { RunnerDeps } from './sessions/runner/runner-deps.ts'
import type { SessionPlace } from './sessions/session-host.ts'
import { findCommands } from './surroundings/read-surroundings.ts'
import { textOf } from './tools/edits/respell-text.ts'
import type { ToolOperations } from './tools/tool-operations.ts'

const KeptRuns = z
  .record(z.string(), z.object({ isPassed: z.boolean(), lines: z.array(z.string()) }))
  .catch({})

/** Returns the checks that the user chose for a session's folder, and what they last found there. */
function folderChecks(
  { store, workSettings }: Pick<SessionPartsInput, 'store' | 'workSettings'>,
  trust: Pick<TrustService, 'get'>,
  root: string,
  workId: string,
): FolderChecks {
  const runs = () => KeptRuns.parse(store.works.getState(workId, keptRunsKey) ?? {})
  const lines = (): string[] =>
    workSettings.get(workId).changeChecks.flatMap(({ line, isOn }) => (isOn ? line : []))
  return {
    lines: () => (trust.get(root).isTrusted ? lines() : []),
    known: (line) => runs()[line] ?? null,
    keep(line, { isPassed, lines: found }) {
      const chosen = workSettings.get(workId).changeChecks.map((check) => check.line)
      const kept = Object.entries(runs()).filter(([known]) => chosen.includes(known))
      store.works.setState(workId, keptRunsKey, {
        ...Object.fromEntries(kept),
        [line]: { isPassed, lines: [...found] },
      })
    },
  }
}

type ProposedServers = { servers: ProposedServer[]; problems: string[]; isReadable: boolean }

/** Units: bytes. */
const limitProposalBytes = 200_000

/** Checks and servers that folders propose; none is used before the user accepts it. */
export function createFolderProposals(
  input: Pick<SessionPartsInput, 'store' | 'works' | 'settings' | 'workSettings'>,
  trust: Pick<TrustService, 'get'>,
  operationsIn: (root: string) => Pick<ToolOperations, 'read'>,
) {
  const { works, settings, workSettings } = input
  const proposals = {
    /** Returns the commands that the folder's own files name. */
    async proposedChecks(workId: string): Promise<string[]> {
      const operations = operationsIn(works.rootOf(workId))
      const found = await findCommands({ operations, decode: textOf, isFree: () => true })
      return found.map(({ line }) => line)
    },
    /** Returns the MCP servers of its `.mcp.json`; none while it is not trusted. */
    async proposedServers(workId: string): Promise<ProposedServers> {
      const root = works.rootOf(workId)
      const nothing = { servers: [], problems: [], isReadable: true }
      if (!trust.get(root).isTrusted) return nothing
      const text = await textIn(operationsIn(root), proposalFile)
      if (text === null) return nothing
      const read = readProposals(text, root, settings.get().toolServers)
      if (read === null) return { ...nothing, isReadable: false }
      const { dismissedServers } = workSettings.get(workId)
      const servers = read.servers.filter(({ hash }) => !dismissedServers.includes(hash))
      return { ...read, servers, isReadable: true }
    },
    /** Returns functions for a session's runner that read the checks and servers of its folder. */
    ofSession(place: SessionPlace): Required<Pick<RunnerDeps, 'checks' | 'proposedServers'>> {
      const { workId } = input.store.sessions.get(place.session.sessionId).session
      return {
        checks: folderChecks(input, trust, place.folder.root, workId),
        async proposedServers() {
          return (await proposals.proposedServers(workId)).servers.map(({ server }) => server.name)
        },
      }
    },
  }
  return proposals
}

/** Reads a text file; null where there is no such file, or none that can be read. */
function textIn(operations: Pick<ToolOperations, 'read'>, path: string): Promise<string | null> {
  const reading = operations.read(path, limitProposalBytes)
  return reading.then(({ bytes }) => textOf(bytes, path)).catch(onAppError(null))
}
