import { calls, justAnswer, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, type SharedOptions, type SharedRoom } from '../support/session-test.ts'

export const appFile = 'src/app.ts'
export const appText = 'export const port = 1\n\n\n\nexport const host = "a"\n'

/** One edit, from a plan up to where it is done or stops. */
export const edit = (from: string, to: string, ...more: Thought[]): Thought[] => [
  workIn('PLANNING'),
  calls(['read_file', { path: appFile }]),
  plan('直す'),
  workIn('EXECUTION'),
  calls(['edit', { path: appFile, old_text: from, new_text: to, reason: '頼まれたため' }]),
  ...more,
]

const words = {
  ja: { first: '読んでください。', second: 'ポートは？', strip: '先回り', done: '済み' },
  en: {
    first: 'Please read it.',
    second: 'Which port is it?',
    strip: 'Work ahead',
    done: 'done',
  },
} as const

type StageOptions<Opened> = SharedOptions & {
  /** Of the window that `openRoom` opens; without one Japanese. */
  language?: 'ja' | 'en'
  /** Runs before any message. */
  prepare?: (opened: Opened) => Promise<void>
}

/** Opens a session after two turns, whose suggestion is played as a speculation. */
export async function openSpeculation<Opened extends SharedRoom>(
  openRoom: (options: SharedOptions) => Promise<Opened>,
  { prepare, language = 'ja', ...options }: StageOptions<Opened>,
) {
  const { first, second, strip, done } = words[language]
  const opened = await openRoom({
    ...options,
    files: { [appFile]: appText, ...options.files },
    thoughts: [...justAnswer('はい。'), ...justAnswer('開いています。'), ...(options.thoughts ?? [])],
    suggestions: options.suggestions ?? [],
  })
  const { room, client } = opened
  await client['settings.update']({ patch: { enableSpeculation: true } })
  await prepare?.(opened)
  await room.say(first)
  await expect(room.conversation).toContainText('はい。')
  await room.isAt(done)
  await room.say(second)
  await expect(room.conversation).toContainText('開いています。')
  const { page } = room
  return {
    ...opened,
    ghost: page.locator('.cm-ghost'),
    mark: page.getByRole('button', { name: /^Tab / }),
    strip: page.getByRole('region', { name: strip }),
    newest: async () => (await client['speculation.list']({})).events[0],
  }
}
