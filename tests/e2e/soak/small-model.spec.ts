/**
 * Ten sessions of a real small model in the embedded engine, through the window. Whatever it says, the window, the
 * host and the folder stay consistent. `TSUGI_TEST_MODELS=DIR npm run soak -- small-model` prints what was said.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { dataFolderPath } from '../../../src/main/platform/files/data-folder.ts'
import { isRestingPosition } from '../../../src/shared/domain/session/agent-step.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import { expect, type OpenRoom, test } from '../support/session-test.ts'
import { readBugs, readTexts } from './soak-stage.ts'

const { platform, env } = process
const models = env.TSUGI_TEST_MODELS ?? join(dataFolderPath({ platform, env, home: homedir() }), 'models')
const file = join(models, 'SmolLM2-135M-Instruct.Q4_1.gguf')
const canRun = env.TSUGI_SOAK !== undefined && existsSync(file)
/** A turn that goes on longer is stopped, as a user would. Units: ms. */
const patienceMs = 180_000

const files = {
  'notes/list.txt': 'bread\nmilk\napples\n',
  'notes/people.md': '# People\n\nMara keeps the lighthouse.\n',
  'story.md': '# The Lighthouse\n\nThe lamp had been dark for three nights.\n',
}
const messages = [
  'Hello. What can you do here?',
  'What is in notes/list.txt?',
  'Add "eggs" as a new line to notes/list.txt.',
  'Write one more sentence at the end of story.md.',
  'List the files of this folder.',
  'Delete notes/list.txt.',
  'Run ls.',
  'Who is Mara? Look into notes/people.md.',
  'Make a plan for a second chapter.',
  'このフォルダには何がありますか？',
]

test('ten sessions of a small model leave everything consistent', async ({ openRoom }) => {
  test.skip(!canRun, `needs TSUGI_SOAK and ${file}`)
  test.setTimeout(messages.length * 4 * patienceMs)
  const open = await openRoom({ files })
  const { client, room, workId } = open
  await client['model.use']({ backend: 'embedded', file })
  const lines: string[] = []
  for (const [index, message] of messages.entries()) {
    await room.list.getByRole('button', { name: '新しいセッション' }).click()
    await room.say(message)
    const from = Date.now()
    const { items, end } = await played(open)
    lines.push(`${index + 1}. ${message} (${Math.round((Date.now() - from) / 1000)} s, ${end})`)
    lines.push(...items.flatMap(tell))
    expect(goingOn(items)).toEqual([])
    expect(await readTexts(open.root).then(Object.fromEntries)).toEqual(files)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  for await (const { sessions } of client['session.watchList']({ workId })) {
    expect(sessions.filter(({ isWorking }) => isWorking)).toEqual([])
    break
  }
  expect(await readBugs(open.host.dataDir)).toEqual([])
})

/** Plays the newest session to its rest: gates are refused, and what goes on too long is stopped. */
async function played({ room, session }: OpenRoom): Promise<{ items: SessionItem[]; end: string }> {
  const until = Date.now() + patienceMs
  let isStopped = false
  for (;;) {
    const { state, items } = await session()
    if (state.openGates.length > 0) await room.refuse()
    else if (state.activity === null && isRestingPosition(state.position) && items.length > 0)
      return { items, end: isStopped ? 'stopped by the user' : state.position.status }
    else if (Date.now() > until && !isStopped) {
      isStopped = true
      await room.box.press('Escape')
    }
    await room.page.waitForTimeout(250)
  }
}

/** A question may wait for its answer, and with it the call that it is about; nothing else may still be open. */
function goingOn(items: readonly SessionItem[]): SessionItem[] {
  const asked = items.flatMap((item) => (item.kind === 'question' && item.isOpen ? item.callId : []))
  return items.filter((item) => {
    if (item.kind === 'call')
      return !asked.includes(item.callId) && (item.state === 'waiting' || item.state === 'running')
    return (
      (item.kind === 'answer' && item.state === 'writing') || (item.kind === 'gate' && item.state === 'open')
    )
  })
}

/** One line for each thing that was said or done. */
function tell(item: SessionItem): string[] {
  const line = (text: string) => [`   ${text.replace(/\s+/g, ' ').slice(0, 160)}`]
  switch (item.kind) {
    case 'decision':
      return line(`decides: ${JSON.stringify(item.decision)}`)
    case 'answer':
      return item.text === '' ? [] : line(`says (${item.state}): ${item.text}`)
    case 'call':
      return line(`calls ${item.name} ${item.title}: ${item.state}`)
    case 'gate':
      return line(`gate: ${item.state}`)
    case 'question':
      return line(`asks: ${item.question}`)
    default:
      return item.kind === 'user' ? [] : line(item.kind)
  }
}
