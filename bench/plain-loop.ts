import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { nodeDisk } from '../src/main/platform/files/disk.ts'
import { createToolbox } from '../src/main/tools/create-toolbox.ts'
import { loadToolWords } from '../src/main/tools/defining/tool-words.ts'
import { createShellCheck } from '../src/main/tools/shell/create-shell-check.ts'
import type { CommandOutcome } from '../src/main/tools/tool-operations.ts'
import { createWorkspaceOperations } from '../src/main/workspace/workspace-operations.ts'
import { changeSetRig } from '../tests/fakes/rigs/change-set-rig.ts'
import { startSessionLlama } from '../tests/fakes/servers/session-llama.ts'
import type { DirectTurn, SentHead } from '../tests/fakes/sessions/direct-turns.ts'
import { scriptedMind } from '../tests/fakes/sessions/scripted-mind.ts'

const resources = resolve(import.meta.dirname, '../resources')

type Message = Record<string, unknown>
type Completion = {
  choices: [{ message: { content?: string | null; tool_calls?: WrittenCall[] } }]
  usage: { prompt_tokens: number }
}
type WrittenCall = { id: string; function: { name: string; arguments: string } }

/** The requests of a turn and the tokens of all their prompts, as the server counts them. */
export type PlainCost = { requests: number; promptTokens: number }

/**
 * Plays a turn by the simplest loop: sends base text, tools and the user's message to the server, runs calls without
 * asking and appends their results, until an answer has no call.
 *
 * `head`: the base text and the declared tools of our own requests. `place`: two empty folders.
 */
export async function playPlainLoop(
  { thoughts, files, message }: Pick<DirectTurn, 'thoughts' | 'files' | 'message'>,
  head: SentHead,
  place: { root: string; dataDir: string },
): Promise<PlainCost> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, path)), { recursive: true })
    writeFileSync(join(place.root, path), text)
  }
  const llama = await startSessionLlama({ answer: scriptedMind(...thoughts).answer })
  const tools = await openTools(place)
  const messages: Message[] = [
    { role: 'system', content: head.system },
    { role: 'user', content: message },
  ]
  const cost: PlainCost = { requests: 0, promptTokens: 0 }
  try {
    for (;;) {
      const answer = await fetch(`${llama.address}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'fake', messages, tools: head.tools, tool_choice: 'auto' }),
      })
      const { choices, usage } = (await answer.json()) as Completion
      cost.requests += 1
      cost.promptTokens += usage.prompt_tokens
      const { content, tool_calls: calls = [] } = choices[0].message
      if (calls.length === 0) return cost
      messages.push({ role: 'assistant', content: content ?? '', tool_calls: calls })
      const results = await tools.run(calls)
      messages.push(...results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })))
    }
  } finally {
    tools.close()
    await llama.close()
  }
}

/** Our own tools over a folder, without consent and without a window. */
async function openTools({ root, dataDir }: { root: string; dataDir: string }) {
  const { changeSets, store } = changeSetRig(dataDir)
  const nothing = async (): Promise<void> => undefined
  const operations = createWorkspaceOperations({
    root,
    disk: nodeDisk,
    documents: {
      flush: nothing,
      saveAll: nothing,
      beginChange: () => () => undefined,
      fileChanged: nothing,
      fileMoved: () => undefined,
      fileRemoved: nothing,
    },
    changeSets,
    commands: {
      execute: async ({ line, folder }) => runLine(line, folder),
      askedRun: async () => null,
      commandOutput: () => null,
      stopCommand: async () => false,
    },
  })
  const toolbox = createToolbox({
    operations,
    shellCheck: await createShellCheck(resources),
    words: await loadToolWords(resources, 'en'),
  })
  return {
    async run(calls: WrittenCall[]): Promise<{ id: string; text: string }[]> {
      const raw = calls.map(({ id, function: { name, arguments: args } }) => ({ callId: id, name, args }))
      const results: { id: string; text: string }[] = []
      for (const [index, read] of (await toolbox.prepare(raw)).entries()) {
        const id = calls[index]?.id ?? ''
        if (read.kind !== 'world') throw new Error(`a plain loop has no ${calls[index]?.function.name}`)
        const { signal } = new AbortController()
        results.push({ id, text: (await read.call.run({ signal, onOutput: () => undefined })).text })
      }
      return results
    },
    close: () => store.close(),
  }
}

function runLine(line: string, cwd: string): CommandOutcome {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd, encoding: 'utf8' })
  const output = `${stdout}${stderr}`
  return {
    commandId: 'c1',
    end: 'exited',
    exitCode: status,
    signal: null,
    output,
    totalBytes: Buffer.byteLength(output),
    isCut: false,
    durationMs: 1,
  }
}
