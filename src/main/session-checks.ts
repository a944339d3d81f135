import { z } from 'zod'
import type { FolderChecks } from './checks/turn-checks.ts'
import type { TrustService } from './gates/trust-service.ts'
import type { SessionPartsInput } from './session-parts.ts'
import type { SessionPlace } from './session-tools.ts'
import { findCommands } from './surroundings/read-surroundings.ts'
import { textOf } from './tools/edits/respell-text.ts'
import type { ToolOperations } from './tools/tool-operations.ts'

const stateKey = 'check-runs'

const KeptRuns = z
  .record(z.string(), z.object({ isPassed: z.boolean(), lines: z.array(z.string()) }))
  .catch({})

/** The checks that the user chose for a session's folder, and what they last found there. */
export function folderChecks(
  { store, workSettings }: Pick<SessionPartsInput, 'store' | 'workSettings'>,
  trust: Pick<TrustService, 'get'>,
  { session, folder }: SessionPlace,
): FolderChecks {
  const { workId } = store.sessions.get(session.sessionId).session
  const runs = () => KeptRuns.parse(store.works.getState(workId, stateKey) ?? {})
  const lines = (): string[] =>
    workSettings.get(workId).changeChecks.flatMap(({ line, isOn }) => (isOn ? line : []))
  return {
    lines: () => (trust.get(folder.root).isTrusted ? lines() : []),
    known: (line) => runs()[line] ?? null,
    keep(line, { isPassed, lines: found }) {
      const chosen = workSettings.get(workId).changeChecks.map((check) => check.line)
      const kept = Object.entries(runs()).filter(([known]) => chosen.includes(known))
      store.works.setState(workId, stateKey, {
        ...Object.fromEntries(kept),
        [line]: { isPassed, lines: [...found] },
      })
    },
  }
}

/** The commands that a folder's own files name. */
export async function proposedChecks(operations: Pick<ToolOperations, 'read'>): Promise<string[]> {
  const found = await findCommands({ operations, decode: textOf, isFree: () => true })
  return found.map(({ line }) => line)
}
