import { describe, expect, it } from 'vitest'
import { openScriptedNovel } from '../../fakes/rigs/lore-app.ts'
import type { AskedRequest } from '../../fakes/servers/llama/answer.ts'

const files = {
  '001.txt':
    '　雨が降っていた。\n　｜鍵《かぎ》は古い時計の裏に隠した。\n@// 鍵の話は伏線\n　誰も見ていない。\n',
  '002.txt': `${'　風が吹いた。\n'.repeat(40)}　鍵は錆びていた。\n`,
  '資料/鍵.md': '---\nkeys:\n  - 合鍵\n---\n　鍵は二本ある。\n',
}
const question = '鍵をどこに隠したか'

async function rig({
  answer = () => '時計の裏です[1]。',
  contextTokens = 4096,
  wanted = files,
}: {
  answer?: (request: AskedRequest) => string
  contextTokens?: number
  wanted?: Record<string, string>
}) {
  const app = await openScriptedNovel(wanted, { say: answer, contextTokens })
  const answerTo = async (question: string) => {
    const events = []
    for await (const event of app.api['lore.answer']({ workId: app.workId, question }, app.context))
      events.push(event)
    return events
  }
  return { answerTo, ...app }
}

describe('a question that the model answers', () => {
  it('is answered from the places that share words with it, by their numbers', async () => {
    const { asked, answerTo, api, workId, context } = await rig({})
    const [places, ...rest] = await answerTo(question)
    const found = await api['work.ask']({ workId, question }, context)
    expect(places).toEqual({ type: 'places', ...found, given: 3 })
    expect(rest.map((event) => ('text' in event ? event.text : '')).join('')).toBe('時計の裏です[1]。')
    expect(asked).toHaveLength(1)
    const prompt = asked[0]?.prompt ?? ''
    expect(prompt).toContain(question)
    expect(prompt).toContain('[1] 001.txt\n雨が降っていた。\n鍵は古い時計の裏に隠した。\n誰も見ていない。')
    expect(prompt).toContain('鍵は二本ある。')
    // Comments, readings and the keys of entries never reach a model.
    expect(prompt).not.toMatch(/伏線|かぎ|合鍵/)
  })

  it('reads a manuscript whose first line is a scene break as text up to the next one, too', async () => {
    const wanted = { '001.txt': '---\n　鍵は古い時計の裏に隠した。\n---\n　雨が降っていた。\n' }
    const { asked, answerTo } = await rig({ wanted })
    await answerTo(question)
    expect(asked[0]?.prompt).toContain('鍵は古い時計の裏に隠した。')
  })

  it('reads the prose of a note that stands between two thematic breaks at its beginning, too', async () => {
    const wanted = { '001.txt': '', '資料/鍵.md': '---\n　鍵は古い時計の裏に隠した。\n---\n　雨。\n' }
    const { asked, answerTo } = await rig({ wanted })
    await answerTo(question)
    expect(asked[0]?.prompt).toContain('鍵は古い時計の裏に隠した。')
  })

  it('asks no model where no word is shared', async () => {
    const { asked, answerTo } = await rig({})
    expect(await answerTo('灯台')).toEqual([{ type: 'places', quotations: [], unread: [], given: 0 }])
    expect(asked).toEqual([])
  })

  it('gives the model the first places alone where the context has no room for all', async () => {
    const wanted = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        `${String(at + 1).padStart(3, '0')}.txt`,
        `　鍵を隠した。${'　長い夜が続いて誰も眠らなかった。'.repeat(12)}\n`,
      ]),
    )
    const { asked, answerTo } = await rig({ wanted, contextTokens: 1024 })
    const [places] = await answerTo(question)
    const given = places?.type === 'places' ? places.given : 0
    expect(given).toBeGreaterThan(0)
    expect(given).toBeLessThan(12)
    const numbers = (asked[0]?.prompt ?? '').match(/^\[\d+\] \d+\.txt$/gm) ?? []
    expect(numbers).toHaveLength(given)
  })

  it('gives the model the place itself where the first alone is more than there is room for', async () => {
    const other = '　長い夜が続いて誰も眠らなかった。'.repeat(200)
    const wanted = { '001.txt': `${other}　鍵は古い時計の裏に隠した。${other}` }
    const { asked, answerTo } = await rig({ wanted, contextTokens: 1024 })
    const [places] = await answerTo(question)
    expect(places).toMatchObject({ given: 1 })
    expect(asked[0]?.prompt).toContain('鍵は古い時計の裏に隠した。')
  })

  it('asks in the language of the question', async () => {
    const wanted = { '001.txt': 'She hid the key behind the old clock.\n' }
    const { asked, answerTo } = await rig({ wanted, answer: () => 'Behind the clock [1].' })
    await answerTo('Where did they hide the key?')
    expect(asked[0]?.prompt).toMatch(/\[Question\]\nWhere did they hide the key\?/)
  })

  it('says that the model is gone', async () => {
    const { server, answerTo } = await rig({})
    await server.close()
    await expect(answerTo(question)).rejects.toMatchObject({ info: { code: 'model/unreachable' } })
  })

  it('stops when it is left', async () => {
    const { server, api, workId, context } = await rig({ answer: () => '時計の裏です。'.repeat(100) })
    for await (const event of api['lore.answer']({ workId, question }, context))
      if (event.type === 'text') break
    await expect.poll(() => server.pendingCount).toBe(0)
  })
})
