import { z } from 'zod'
import type { PromptEntry } from '../../src/main/agent/model/prompt/prompt-entry.ts'
import { pairHistory } from '../../src/main/speculation/accept/finished-part.ts'
import { classifyCall } from '../../src/main/speculation/forked-toolbox.ts'
import { AgentMode } from '../../src/shared/domain/session/agent-step.ts'
import { isReadOnlyLine } from './shell.ts'
import { difference, type VectorCase, type VectorGroup } from './vector-group.ts'

/** Arguments that have other names in the vectors than in our tools. */
const ownNames: Readonly<Record<string, string>> = { command: 'line', from: 'path' }

const ToolGate = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  mode: AgentMode,
  stopAtFirstWrite: z.boolean(),
  action: z.string(),
  kind: z.string(),
})

async function runToolGate(vector: VectorCase): Promise<string | undefined> {
  const { tool, args: given, mode, stopAtFirstWrite, ...expected } = ToolGate.parse(vector)
  const args = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [ownNames[name] ?? name, value]),
  )
  const isReadOnly = typeof args.line === 'string' && (await isReadOnlyLine(args.line))
  const found = classifyCall({ tool, args, isReadOnly }, { mode, stopsAtFirstWrite: stopAtFirstWrite })
  const problem = difference(found, expected)
  return problem && `${tool} ${JSON.stringify(given)} in mode ${mode}: ${problem}`
}

const Message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text: z.string().optional(),
  calls: z.array(z.string()).optional(),
  callId: z.string().optional(),
})
type Message = z.infer<typeof Message>
const Pairing = z.object({
  name: z.string(),
  input: z.array(Message),
  output: z.array(z.unknown()),
})

/** `turn` holds the message's index, to find it again. */
function entryOf({ role, text = '', calls, callId }: Message, turn: number): PromptEntry {
  const kind = role === 'assistant' ? 'work' : role === 'tool' ? 'result' : 'message'
  return {
    turn,
    role,
    kind,
    text,
    ...(calls && { calls: calls.map((id) => ({ callId: id, name: 'x', args: '{}' })) }),
    ...(callId !== undefined && { callId }),
  }
}

function runPairing(vector: VectorCase): string | undefined {
  const { name, input, output } = Pairing.parse(vector)
  const paired = pairHistory(input.map(entryOf)).map((entry) => {
    const { calls: _, ...rest } = input[entry.turn] ?? {}
    return entry.calls === undefined ? rest : { ...rest, calls: entry.calls.map(({ callId }) => callId) }
  })
  const problem = difference(sorted(paired), sorted(output))
  return problem && `${name}: ${problem}`
}

/** The same values, whatever the order of their keys. */
function sorted(values: readonly unknown[]): unknown[] {
  return values.map((value) => Object.fromEntries(Object.entries(value as object).sort()))
}

/** Groups of `speculation.json`; those of overlay and loop are prose for people. */
export const speculationGroups: VectorGroup[] = [
  { key: 'toolGate', run: runToolGate },
  { key: 'pairing', run: runPairing },
  { key: 'overlay', isProse: true, run: () => undefined },
  { key: 'speculationLoop', isProse: true, run: () => undefined },
]
