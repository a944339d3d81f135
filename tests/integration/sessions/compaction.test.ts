import { expect, it } from 'vitest'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'

const summary = '- 頼まれたこと: 港の町の話\n- 決めたこと: 題は「時計」'
const request = '長い頼み。'.repeat(200)

it('a context that fills is compacted by itself before it overflows', async () => {
  const session = await scriptedHost([], {
    language: 'ja',
    llama: { contextTokens: 16_384 },
    answer(asked) {
      const last = JSON.stringify(asked.messages.at(-1)?.content ?? '')
      const isForSummary = last.includes('ここまでの会話') && last.includes('要約する')
      return isForSummary ? { text: summary } : undefined
    },
  })
  const compactions = async () => (await session.items()).filter(({ kind }) => kind === 'compaction')
  for (let turn = 1; turn < 10 && (await compactions()).length === 0; turn++) {
    session.mind.think({ decide: {} }, { say: `${turn} 番目の返事です。` })
    await session.say(`次です。${request}`)
    await session.rest()
  }
  expect(await compactions()).toMatchObject([{ state: 'finished', summary }])
  expect((await session.items()).filter(({ kind }) => kind === 'error')).toEqual([])
  const conversations = session.llama.requests.filter(({ path }) => path.endsWith('/chat/completions'))
  const last = JSON.stringify(conversations.at(-1)?.body)
  expect(last).toContain('題は「時計」')
  expect(last).not.toContain('1 番目の返事です。')
  expect(session.mind.left).toEqual([])
  expect(session.bugs).toEqual([])
})
