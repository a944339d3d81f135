/** The host is killed (`kill -9`) while a model writes a summary, and started again. */
import { execFile } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { openLoreApp } from '../../fakes/rigs/lore-app.ts'
import { createFakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import { childProgram } from '../../fakes/victims/child-program.ts'

const victim = await childProgram('summary-victim')
const answer = '雨の夜の長い話。'.repeat(40)

it.each([1, 150])(
  'offers what was written of a summary when the host was killed after %i characters',
  async (chars) => {
    const home = tempFolder()
    const server = await createFakeLlamaServer({
      answer: () => ({ text: answer }),
      contextTokens: 2048,
      slots: 1,
      tokenMs: 20,
    })
    onTestFinished(() => server.close())
    const signal = await new Promise((done) => {
      execFile(process.execPath, [victim, home, server.address, `${chars}`], (error) => done(error?.signal))
    })
    expect(signal).toBe('SIGKILL')
    const { api, context, workId, close } = await openLoreApp(home, server.address, {})
    onTestFinished(close)
    const offer = (await api['summary.list']({ workId }, context)).episodes[0]?.offer
    expect(offer).toMatchObject({ isPartial: true, isEdited: false })
    const { text = '' } = offer ?? {}
    expect(answer.startsWith(text)).toBe(true)
    // The first text is stored at once, and later text within a second.
    expect(text.length).toBeGreaterThanOrEqual(chars === 1 ? 1 : 20)
  },
)
