import { contentHash } from '../../src/main/platform/files/content-hash.ts'
import type { CallFacts, FilePreview, PreparedCall } from '../../src/main/tools/prepared-call.ts'
import type { ConsentRule } from '../../src/shared/domain/session/consent-rule.ts'
import { applyHunks } from '../../src/shared/text/difference/hunks.ts'
import { seededRandom } from './seeded-random.ts'

/** Files that rolled calls are about: plain ones, secrets, protected and executable ones. */
export const rolledPaths = [
  'a.txt',
  'src/a.ts',
  'src/deep/b.ts',
  '.env',
  'AGENTS.md',
  'docs/x.md',
  'tool.exe',
  'run.sh',
]
const commands = [
  ...['ls', 'cat src/a.ts', 'cat .env', 'npm test', 'npm test && git push', 'rm -rf src', 'sh -c "git push"'],
  ...[
    'git  push origin',
    'FOO=1 npm test',
    'npm test > out.txt',
    'echo $(git push)',
    'cat ../x',
    'make "broken',
  ],
]
export const pathPatterns = ['src/**', '*.txt', '.env', '**', 'docs/x.md', '/a.txt']
const commandPatterns = ['npm test', 'git push *', 'git push', 'rm *', '*', 'ls', 'cat *', 'sh *']

export type Roll = { next(limit: number): number; one<T>(from: readonly [T, ...T[]] | readonly T[]): T }

export function dice(from: number): Roll {
  const random = seededRandom(from)
  const next = (limit: number): number => Math.floor(random() * limit)
  return {
    next,
    one(list) {
      const found = list[next(list.length)]
      if (found === undefined) throw new Error('an empty list')
      return found
    },
  }
}

/** Creates a call whose hash matches exactly its effect. */
export function madeCall(callId: string, facts: CallFacts, tool: PreparedCall['tool']): PreparedCall {
  const call: PreparedCall = {
    callId,
    tool,
    access: facts.kind === 'read' ? 'read' : facts.kind === 'change' ? 'write' : 'execute',
    isReadOnly: facts.kind === 'command',
    hash: contentHash(JSON.stringify(facts)),
    title: 't',
    reason: null,
    alternatives: [],
    facts,
    changes: [],
    without(refused) {
      if (facts.kind !== 'change') return call
      const files = facts.files.map((file) => {
        const refusedHere = new Set(
          refused.filter(({ path }) => path === file.path).flatMap(({ hunks }) => hunks),
        )
        return { ...file, newText: applyHunks(file.oldText ?? '', file.newText ?? '', refusedHere) }
      })
      return madeCall(callId, { kind: 'change', files }, tool)
    },
    renew: async () => call,
    run: async () => ({ isOk: true, text: '', view: { kind: 'text' } }),
  }
  return call
}

const plainActions: FilePreview['action'][] = ['edit', 'edit', 'create', 'delete']
const toolOf = {
  edit: 'edit',
  create: 'write_file',
  delete: 'delete_file',
  move: 'move_file',
} as const

export function rolledCall(roll: Roll, callId: string, actions = plainActions): PreparedCall {
  const kind = roll.next(3)
  if (kind === 0) return madeCall(callId, { kind: 'read', paths: [roll.one(rolledPaths)] }, 'read_file')
  if (kind === 1) {
    const line = roll.one(commands)
    return madeCall(callId, { kind: 'command', line, folder: '.', isBackground: false }, 'run_command')
  }
  const action = roll.one(actions)
  const text = (): string => Array.from({ length: 1 + roll.next(6) }, () => `${roll.next(4)}\n`).join('')
  const file = {
    path: roll.one(rolledPaths),
    to: action === 'move' ? roll.one(rolledPaths) : null,
    action,
    oldText: action === 'create' ? null : text(),
    newText: action === 'delete' ? null : text(),
    sizeBytes: 1,
  }
  const tool = toolOf[action]
  return madeCall(callId, { kind: 'change', files: [file] }, tool)
}

export function rolledRule(roll: Roll, index: number): ConsentRule {
  const isPath = roll.next(2) === 0
  return {
    ruleId: `r${index}`,
    effect: roll.one(['allow', 'ask', 'deny'] as const),
    tool: isPath
      ? roll.one([null, 'edit', 'read_file', 'write_file', 'delete_file'] as const)
      : roll.one([null, 'run_command'] as const),
    pattern: roll.one(isPath ? pathPatterns : commandPatterns),
    scope: 'session',
  }
}
