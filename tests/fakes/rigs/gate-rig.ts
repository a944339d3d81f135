import { resolve } from 'node:path'
import type { Log } from '../../../src/main/deps.ts'
import { type GateData, readGateData } from '../../../src/main/gates/gate-data.ts'
import {
  createGateService,
  type GateContext,
  type GateService,
} from '../../../src/main/gates/gate-service.ts'
import { createRuleService, type RuleService } from '../../../src/main/gates/rules/rule-service.ts'
import { createTrustService, type TrustService } from '../../../src/main/gates/trust-service.ts'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import type { FileWatcher } from '../../../src/main/platform/files/file-watcher.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import type { AgentMode } from '../../../src/shared/domain/session/agent-step.ts'
import type { AuditEntry } from '../../../src/shared/domain/session/consent-rule.ts'
import type { GateAnswerInput, GateCallAnswer } from '../../../src/shared/domain/session/gate.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { openTestStore, type WholeStore } from '../disks/test-store.ts'
import { type ManualClock, manualClock } from '../manual-clock.ts'
import { type ToolRig, toolParts, toolRig } from './tool-rig.ts'

const resourcesDir = resolve(import.meta.dirname, '../../../resources')
let data: Promise<GateData> | undefined

/** The lists and words of the gates, loaded once for all tests of a file. */
export function gateData(): Promise<GateData> {
  data ??= readGateData(resourcesDir)
  return data
}

/** The gate service over real tools, a real folder and a real store; the test itself reports changes of files. */
export type GateRig = {
  tools: ToolRig
  gates: GateService
  rules: RuleService
  trust: TrustService
  store: WholeStore
  clock: ManualClock
  context: GateContext
  bugs: unknown[]
  /** Tells the service that a watched file changed. */
  touch(path: string): void
  watched(): string[]
  /** Newest first. */
  audit(): AuditEntry[]
}

export async function gateRig(
  options: { mode?: AgentMode; isTrusted?: boolean; language?: 'ja' | 'en'; task?: string } = {},
): Promise<GateRig> {
  const tools = await toolRig()
  const { shellCheck } = await toolParts()
  const clock = manualClock()
  const store = openTestStore(`${tempFolder()}/tsugi.db`, { clock, random: systemRandom })
  const bugs: unknown[] = []
  const log: Log = {
    write: () => undefined,
    bug(error) {
      bugs.push(error)
      return 'bug'
    },
  }
  const watchers = new Map<string, Set<() => void>>()
  const watch: FileWatcher['watchFile'] = (path, onChange) => {
    const listeners = watchers.get(path) ?? new Set()
    watchers.set(path, listeners.add(onChange))
    return () => {
      listeners.delete(onChange)
      if (listeners.size === 0) watchers.delete(path)
    }
  }
  const rules = createRuleService({
    disk: nodeDisk,
    log,
    random: systemRandom,
    repository: store.consentRules,
    watcher: { watchFile: watch, watchFolder: watch },
  })
  const trust = createTrustService({ clock, repository: store.folderTrust })
  if (options.isTrusted !== false) trust.set(tools.root, true)
  const gates = createGateService({
    clock,
    random: systemRandom,
    log,
    disk: nodeDisk,
    shell: shellCheck,
    data: await gateData(),
    rules,
    trust,
    sandbox: {
      isOn: () => false,
      isReady: async () => false,
      isKnownReady: () => false,
      profile: () => null,
      turnOn: () => undefined,
    },
    audit: store.audit,
    watchFile: watch,
  })
  const { root } = tools
  return {
    tools,
    gates,
    rules,
    trust,
    store,
    clock,
    bugs,
    context: {
      sessionId: 's1',
      workId: 'w1',
      root,
      mode: options.mode ?? 'ask',
      language: options.language ?? 'en',
      task: options.task ?? '',
    },
    touch(path) {
      for (const tell of [...(watchers.get(resolve(root, path)) ?? [])]) tell()
    },
    watched: () => [...watchers.keys()].map((path) => path.slice(root.length + 1)).sort(),
    audit: () => store.audit.list('s1', { limit: 200 }).entries,
  }
}

/** Approves the whole gate as shown, with the test's changes to the answer. */
export function yes(
  { gates, context }: Pick<GateRig, 'gates' | 'context'>,
  gateId: string,
  more: Partial<GateAnswerInput> & { calls?: Record<number, Partial<GateCallAnswer>> } = {},
): GateAnswerInput {
  const { calls = {}, ...rest } = more
  const whole = gates.wholeAnswer(context.sessionId, gateId, 'approve', 5_000)
  const answers = whole.answers.map((answer, index) => ({ ...answer, ...calls[index] }))
  return { ...whole, answers, ...rest }
}
