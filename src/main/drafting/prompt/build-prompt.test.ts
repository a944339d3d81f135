import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fakeFrame, japaneseWords, templatePack } from '../../../../tests/fakes/rigs/fake-draft.ts'
import { DraftWords } from '../draft-words.ts'
import { isSentenceComplete } from './body-lines.ts'
import { buildPrompt, joinParts } from './build-prompt.ts'

const body = [
  '時計の針が逆回転を始めた。',
  '風景がぐにゃりと歪む。',
  '壁に飾られた絵画の人物が、ゆっくりとこちらを向いた。',
  '彼は口を開き、何かを伝えようとしている。',
  'その唇が形作ったのは',
].join('\n')

describe('a prompt', () => {
  it("is the seed's worked example", () => {
    const { parts } = buildPrompt(
      fakeFrame({ title: '刻の迷宮', authorsNote: '主人公の{焦り|恐怖}を強調' }),
      body,
    )
    expect(joinParts(parts)).toBe(
      `[INST]参考情報と本文を踏まえ、最後の文章の自然な続きとなるように小説を生成してください。 レーティング: general
【参考情報】
\`\`\`
# タイトル:
刻の迷宮
\`\`\`
【本文】
\`\`\`
時計の針が逆回転を始めた。
\`\`\`
【この先の展開についての指示・メモ】
\`\`\`
主人公の焦りを強調
\`\`\`
風景がぐにゃりと歪む。
壁に飾られた絵画の人物が、ゆっくりとこちらを向いた。
彼は口を開き、何かを伝えようとしている。[/INST]その唇が形作ったのは`,
    )
  })

  it('is text alone for a model that follows no instructions: fields, note and the body to its end', () => {
    const frame = { ...fakeFrame({ title: '刻の迷宮', authorsNote: '焦り' }), form: 'text' as const }
    const { parts, suffix } = buildPrompt(frame, `${body} `)
    expect(joinParts(parts)).toBe(`# タイトル:\n刻の迷宮\n\n焦り\n\n${body}`)
    expect(suffix).toBe('その唇が形作ったのは')
    expect(parts.map(({ origin }) => origin)).toEqual(['reference', 'note', 'body', 'suffix'])
    expect(buildPrompt(frame, `${body}\n　`).suffix).toBe('　')
    expect(buildPrompt({ ...frame, mode: 'idea' }, body).instruction).not.toBe('')
  })

  it('says where each part comes from', () => {
    const { parts } = buildPrompt(
      fakeFrame({ title: '題', authorsNote: '覚え' }, { promptOrder: 'text_first' }),
      body,
    )
    expect(parts.map(({ origin }) => origin)).toEqual([
      'wrapper',
      'instruction',
      'body',
      'reference',
      'note',
      'tail',
      'wrapper',
      'suffix',
    ])
  })

  it('has the same inner text in every wrapper, and only markers in its wrapper parts', () => {
    const frame = fakeFrame({ title: '題' })
    const inner = (template: string) =>
      buildPrompt({ ...frame, template: templatePack(template) }, body).parts.filter(
        ({ origin }) => origin !== 'wrapper',
      )
    const folder = new URL('../../../../resources/templates', import.meta.url)
    const ids = readdirSync(folder).map((name) => name.replace('.json', ''))
    expect(ids).toEqual(expect.arrayContaining(['mistral', 'chatml', 'llama3', 'gemma', 'alpaca', 'plain']))
    for (const id of ids) {
      expect(inner(id)).toEqual(inner('mistral'))
      const { parts } = buildPrompt({ ...frame, template: templatePack(id) }, body)
      expect(parts.at(-1)).toEqual({ origin: 'suffix', text: 'その唇が形作ったのは' })
      const markers = parts.filter(({ origin }) => origin === 'wrapper').map(({ text }) => text)
      expect(templatePack(id).wrapper).toBe(
        id === 'plain' ? `{{inner}}${markers[0]}{{suffix}}` : `${markers[0]}{{inner}}${markers[1]}{{suffix}}`,
      )
    }
  })

  it('does not expand what looks like a placeholder in the text', () => {
    const frame = fakeFrame()
    const fields = { ...frame.fields, title: '{{suffix}}' }
    const { parts } = buildPrompt({ ...frame, fields }, '{{inner}} {{rating}}')
    expect(joinParts(parts)).toContain('# タイトル:\n{{suffix}}[/INST]{{inner}} {{rating}}')
  })

  it('leaves the note out of a beginning', () => {
    expect(buildPrompt(fakeFrame({ authorsNote: '覚え' }), '一。\n二。\n三。').parts.at(-1)).toEqual({
      origin: 'suffix',
      text: '一。\n二。\n三。',
    })
  })
})

describe('completeness', () => {
  it("is the seed's rule unless the author extends it", () => {
    const endings = [
      '終わる。',
      '「言う」 \t',
      '行末\n',
      '驚く！',
      '問う？',
      '………',
      '『題』',
      '（注）',
      '歌う♪',
      '次\n　',
    ]
    expect(endings.filter((ending) => isSentenceComplete(ending, false))).toEqual(endings.slice(0, 3))
    expect(endings.filter((ending) => isSentenceComplete(ending, true))).toEqual(endings)
    expect(isSentenceComplete('続く', true)).toBe(false)
    expect(isSentenceComplete('', true)).toBe(false)
  })
})

it('has the same words in both languages, each with the placeholders of the other', async () => {
  const english = await import('../../../../resources/prompts/en/draft-words.json')
  const words = DraftWords.parse(english.default)
  expect(Object.keys(words.fields)).toEqual(Object.keys(japaneseWords.fields))
  expect(words.rating).toContain('{{rating}}')
})
