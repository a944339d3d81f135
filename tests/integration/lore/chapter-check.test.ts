import { describe, expect, it } from 'vitest'
import { openScriptedNovel } from '../../fakes/rigs/lore-app.ts'
import type { AskedRequest } from '../../fakes/servers/llama/answer.ts'

const path = '001.txt'
const ayase = '資料/綾瀬.md'
const files = {
  [ayase]: '---\nkeys:\n  - 綾瀬\n---\n　新聞記者である。\n　目は青い。\n',
  '資料/時計.md': '---\nkeys:\n  - 時計\nrange: 2-\n---\n　三時で止まっている。\n',
  '資料/港.md': '---\nkeys:\n  - 港\n---\n　北の港町。\n',
  [path]: `　雨が降っていた。\n　｜綾瀬《あやせ》は黒い目を伏せた。\n${'　風が吹いた。\n'.repeat(12)}　時計が鳴った。\n@// 港の話は次章\n　綾瀬は医者をしている。\n`,
}
const yes = (text: string, entry: string, reason = '理由') =>
  JSON.stringify({ contradicts: 'yes', text, entry, reason })
const no = JSON.stringify({ contradicts: 'no', text: '', entry: '', reason: '' })

async function check(
  say: (request: AskedRequest) => string,
  wanted: Record<string, string> = files,
  contextTokens = 4096,
) {
  const { api, workId, context, asked } = await openScriptedNovel(wanted, { say, contextTokens })
  const events = []
  for await (const event of api['lore.check']({ workId, path }, context)) events.push(event)
  return { asked, events, rest: events.slice(1).filter(({ type }) => type !== 'pair') }
}

describe('checking a chapter against its lore', () => {
  it('asks for a yes or a no, passage by passage, of each entry that it mentions, and shows both quotations', async () => {
    const { asked, events, rest } = await check(({ prompt }) =>
      prompt.includes('黒い目') ? yes('綾瀬は黒い目', '目は青い', '目の色が\n違う') : no,
    )
    expect(events[0]).toEqual({ type: 'begun', entries: 1, pairs: 2, failedKeys: [], off: [], unread: [] })
    expect(asked.map(({ prompt }) => prompt.includes('雨が降っていた。'))).toEqual([true, false])
    // A comment never reaches a model; neither does an entry's front matter.
    for (const { prompt, schema, body } of asked) {
      expect(prompt).toContain('目は青い。')
      expect(prompt).not.toMatch(/次章|keys|港町|三時/)
      expect(schema ?? body.grammar).toBeTruthy()
    }
    expect(rest).toEqual([
      {
        type: 'contradiction',
        contradiction: {
          entry: ayase,
          name: '綾瀬',
          reason: '目の色が 違う',
          inText: expect.objectContaining({ line: 2, match: '綾瀬《あやせ》は黒い目', after: 'を伏せた。' }),
          inEntry: expect.objectContaining({ line: 6, match: '目は青い', after: '。' }),
        },
      },
    ])
    const [told] = rest
    if (told?.type !== 'contradiction') throw new Error('no contradiction')
    const { inText, inEntry } = told.contradiction
    expect(files[path].slice(inText.from, inText.to)).toBe(inText.match)
    expect(files[ayase].slice(inEntry.from, inEntry.to)).toBe('目は青い')
  })

  it('claims nothing that is not quoted literally from both, and says what could not be read', async () => {
    const answers = [yes('綾瀬は白い目', '目は青い'), '{"contradicts": "perhaps"']
    const { rest } = await check(() => answers.shift() ?? no)
    expect(rest).toEqual([{ type: 'unproven' }, { type: 'unreadable' }])
    // Front matter is not part of the entry's text, and a single letter proves nothing.
    const others = [yes('黒い目', 'keys'), yes('医', '記者')]
    expect((await check(() => others.shift() ?? no)).rest).toEqual([
      { type: 'unproven' },
      { type: 'unproven' },
    ])
  })

  it('asks no model where nothing is mentioned', async () => {
    const { asked, events } = await check(() => no, { ...files, [path]: '　風。@// 綾瀬\n' })
    expect(events).toEqual([{ type: 'begun', entries: 0, pairs: 0, failedKeys: [], off: [], unread: [] }])
    expect(asked).toEqual([])
  })

  it('cuts long passages and long entries to what the model has room for', async () => {
    const wanted = {
      [ayase]: `---\nkeys:\n  - 綾瀬\n---\n${'　青い目の記者である。\n'.repeat(100)}`,
      [path]: `${'　綾瀬は傘を手に取った。\n'.repeat(60)}`,
    }
    const { asked, events } = await check(() => no, wanted, 2048)
    expect(events[0]).toMatchObject({ entries: 1, pairs: asked.length })
    expect(asked.length).toBeGreaterThan(2)
  })
})
