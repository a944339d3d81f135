import { describe, expect, it } from 'vitest'
import { draftRig, says } from '../../../tests/fakes/rigs/draft-rig.ts'
import { AppError } from '../../shared/errors.ts'
import { sharedLength } from '../../shared/text/difference/text-similarity.ts'
import { promptText } from '../models/client/model-client.ts'
import { rewrittenText } from './rewrite-passage.ts'

const lines = ['　雨が降っていた。', '　彼は傘を開いた。', '　道は暗い。', '　犬が鳴く。', '　家は遠い。']
const text = `${lines.join('\n')}\n`
const rewriteOf = (original: string, options: { instruction?: string; of?: string } = {}) => ({
  mode: 'rewrite' as const,
  rewrite: { from: text.indexOf(original), original, instruction: '短くする。', ...options },
})

function rig() {
  const drafts = draftRig()
  drafts.files = [{ path: '001.txt', text }]
  drafts.details = { title: '雨', authorsNote: '静かに' }
  return drafts
}

describe('a rewrite of a selection', () => {
  it('reads only its own request anew where a page was read before: all else of the prompt is the page’s', async () => {
    const drafts = rig()
    await drafts.ended(await drafts.start())
    await drafts.ended(await drafts.start(rewriteOf('　道は暗い。')))
    const [page = '', rewrite = ''] = drafts.sent.map(({ prompt }) => promptText(prompt))
    // One token is one character here.
    const reusedTokens = sharedLength(page, rewrite)
    expect(reusedTokens).toBe(page.indexOf('[/INST]'))
    expect(rewrite.slice(reusedTokens)).toBe(
      '\n【書き直す箇所】\n```\n道は暗い。\n```\n【依頼】\n上の「書き直す箇所」だけを、次の指示に従って書き直してください。本文の続きは書かず、説明も前置きも付けずに、書き直した文章だけを答えてください。\n指示：短くする。[/INST]',
    )
    await drafts.ended(await drafts.start())
    expect(promptText(drafts.sent[2]?.prompt ?? '')).toBe(page)
  })

  it('is a take over its selection, of the place of the first one, and may end by itself', async () => {
    const drafts = rig()
    drafts.answer = says('```\n', '道は', '暗し。\n', '```\n説明')
    const first = await drafts.ended(await drafts.start(rewriteOf('　道は暗い。\n')))
    expect(first).toMatchObject({
      mode: 'rewrite',
      text: '　道は暗し。\n',
      lead: '',
      position: text.indexOf('　道'),
    })
    expect(drafts.sent[0]?.isEosBanned).toBe(false)
    const second = await drafts.ended(
      await drafts.start(rewriteOf('　道は暗い。\n', { of: first.placeId, instruction: '詳しく。' })),
    )
    expect(second.placeId).toBe(first.takeId)
    const { takes } = drafts.takes.list({ workId: drafts.workId, mode: 'rewrite', limit: 9 })
    expect(takes.map(({ rewrite }) => rewrite?.instruction)).toEqual(['詳しく。', '短くする。'])
    expect(drafts.takes.list({ workId: drafts.workId, except: ['rewrite'], limit: 9 }).takes).toEqual([])
  })

  it('ends as its passage does, also where the model fails in mid-answer', async () => {
    const drafts = rig()
    drafts.answer = async function* () {
      yield { type: 'text', text: '道は暗し。' }
      throw new AppError({ code: 'model/cut', address: 'a' })
    }
    const run = await drafts.ended(await drafts.start(rewriteOf('　道は暗い。\n')))
    expect(run).toMatchObject({ state: 'failed', text: '　道は暗し。\n' })
    expect(drafts.takes.get(run.takeId).take.text).toBe('　道は暗し。\n')
  })

  it('leaves an undecided continuation as it is', async () => {
    const drafts = rig()
    const page = await drafts.ended(await drafts.start())
    await drafts.ended(await drafts.start(rewriteOf('犬')))
    expect(drafts.takes.get(page.takeId).take.state).toBe('pending')
    expect(drafts.places.positionOf(page.takeId)).toBe(text.length)
  })

  it('moves no beginning of a page, though it has less room itself', async () => {
    const drafts = draftRig({
      contextTokens: 1500,
      backend: 'embedded',
      settings: { drafting: { fitMode: 'anchored', offsetChars: 0 } },
    })
    const paragraphs = Array.from({ length: 400 }, (_, i) => `第${i}の段落である。\n`)
    const body = paragraphs.join('')
    drafts.files = [{ path: '001.txt', text: body }]
    const page = async () => {
      await drafts.ended(await drafts.start())
      return promptText(drafts.sent.at(-1)?.prompt ?? '')
    }
    const first = await page()
    const original = paragraphs.slice(360, 390).join('')
    const rewrite = { from: body.indexOf(original), original, instruction: '短く。' }
    await drafts.ended(await drafts.start({ mode: 'rewrite', rewrite }))
    expect(await page()).toBe(first)
  })

  it('refuses a selection that holds another text by now', async () => {
    const drafts = rig()
    const wish = rewriteOf('　道は暗い。')
    drafts.files = [{ path: '001.txt', text: `あ${text}` }]
    await expect(drafts.start(wish)).rejects.toThrow('file/changed')
    expect(drafts.sent).toEqual([])
  })

  it('quotes what stands around a selection that the prompt does not hold, and no comments', async () => {
    const drafts = rig()
    drafts.files = [{ path: '001.txt', text: '一行目。\n二行@/*秘密@*/目。\n' }]
    await drafts.ended(
      await drafts.start({
        mode: 'rewrite',
        rewrite: { from: 5, original: '二行@/*秘密@*/目。', instruction: '短く。' },
      }),
    )
    const prompt = promptText(drafts.sent[0]?.prompt ?? '')
    expect(prompt).toContain(
      '【書き直す箇所の前後】\n```\n一行目。\n二行目。\n\n```\n【書き直す箇所】\n```\n二行目。\n```',
    )
    expect(prompt).not.toContain('秘密')
    expect(prompt.endsWith('[/INST]')).toBe(true)
  })

  it('sends no part of a comment that begins before the text around the selection', async () => {
    const drafts = rig()
    const comment = `@/*${'秘密。'.repeat(200)}@*/`
    drafts.files = [{ path: '001.txt', text: `一行目。\n${comment}二行目。\n` }]
    const rewrite = { from: 5 + comment.length, original: '二行目。', instruction: '短く。' }
    await drafts.ended(await drafts.start({ mode: 'rewrite', rewrite }))
    expect(promptText(drafts.sent[0]?.prompt ?? '')).not.toContain('秘')
  })

  it('stands behind the text where the prompt has no instructions', async () => {
    const drafts = rig()
    drafts.details = { promptForm: 'text' }
    await drafts.ended(await drafts.start(rewriteOf('犬が鳴く。')))
    const prompt = promptText(drafts.sent[0]?.prompt ?? '')
    expect(prompt.startsWith(`${text}\n\n【書き直す箇所】`)).toBe(true)
  })
})

describe('the text of a rewrite', () => {
  it('has the white space of its passage at both ends, without a fence', () => {
    expect(rewrittenText('\n\n  新しい文。\n\n', '　古い文。\n', true)).toBe('　新しい文。\n')
    expect(rewrittenText('```text\n新しい文。\n```\n以上です。', '古い文。', true)).toBe('新しい文。')
    expect(rewrittenText('新しい', '古い文。\n', false)).toBe('新しい')
    expect(rewrittenText('```\n```', '古い文。', true)).toBe('')
  })

  it('has the comments of its passage behind it', () => {
    expect(rewrittenText('新。', '古い@/* 甲 @*/文。\n', true)).toBe('新。@/* 甲 @*/\n')
    expect(rewrittenText('新。', '古い@// 甲\n文。@// 乙 \n', true)).toBe('新。@// 甲\n@// 乙 \n')
    expect(rewrittenText('新', '古い@/* 甲 @*/文。', false)).toBe('新')
  })
})
