import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DraftSettings } from '../../../src/shared/domain/drafting/draft-settings.ts'
import type { LoreUse } from '../../../src/shared/domain/lore/lore.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { openLoreApp, openScriptedNovel } from '../../fakes/rigs/lore-app.ts'
import { startFakeKobold } from '../../fakes/servers/fake-kobold.ts'

const paragraph = (i: number) => `　第${i}の夜、雨は降り続いていた。時計塔の鐘が遠くで鳴った。\n`
const opening = Array.from({ length: 12 }, (_, i) => paragraph(i)).join('')
const entry = (settings: string, text: string) => `---\n${settings}\n---\n${text}\n`

async function openNovel(
  materials: Record<string, string>,
  body: string,
  drafting: Partial<DraftSettings> = {},
) {
  const files = { '001.txt': body, ...materials }
  return openScriptedNovel(files, { drafting: { loreScanChars: 400, ...drafting } })
}
const shown = (uses: readonly LoreUse[] | undefined) =>
  uses?.map(({ name, place, reason }) => [name, place, reason.kind])

describe('the lore of a work', () => {
  it('that another entry brings in keeps its conditions on the text that is continued', async () => {
    const novel = await openNovel(
      {
        '資料/林.md': entry('keys: [林]', '　林は猫を飼う。'),
        '資料/白猫.md': entry('keys: [猫]\nnever: [/夢の?中/]', '　猫は白い。'),
        '資料/黒猫.md': entry('keys: [猫]\nalso: [傘]', '　猫は黒い。'),
      },
      '夢の中で、林が傘を差していた。\n',
      { loreRecursion: true },
    )
    const { lore } = await novel.preview()
    expect(lore?.uses.map(({ name }) => name).sort()).toEqual(['林', '黒猫'])
  })

  it('has the paths of that work, also where a folder around it is another open work', async () => {
    const novel = await openNovel({ '資料/林.md': entry('keys: [林]', '　林は猫を飼う。') }, '林が来た。\n')
    const { api, context, workId, root } = novel
    const pathsIn = async (id: string) =>
      (await api['lore.list']({ workId: id }, context)).entries.map(({ path }) => path)
    const around = await api['work.open']({ path: dirname(root) }, context)
    expect(await pathsIn(around.workId)).toEqual(['work/資料/林.md'])
    expect(await pathsIn(workId)).toEqual(['資料/林.md'])
  })

  it('is found by its keys, stands where it belongs, and stays until the anchor moves', async () => {
    const novel = await openNovel(
      {
        '資料/世界.md': entry('always: true', '　雨の国。'),
        '資料/綾瀬.md': entry('keys: [綾瀬さん]', '　綾瀬は新聞記者である。'),
        '資料/林.md': entry('keys: [林]', '　林は猫を飼う。'),
        '資料/あらすじ/001.md': entry('keys: [雨]', '　あらすじ。'),
      },
      `${opening}　綾瀬《あやせ》さんは傘を手に取った。\n　扉が開いた。\n　風が吹いた。\n　夜が来た。\n`,
    )
    const { lore, parts } = await novel.preview()
    expect(shown(lore?.uses)).toEqual([
      ['世界', 'standing', 'always'],
      ['綾瀬', 'recent', 'match'],
    ])
    expect(lore?.uses[1]?.reason).toMatchObject({
      sentence: '綾瀬《あやせ》さんは傘を手に取った。',
      at: { path: '001.txt', from: opening.length + 1 },
    })
    const prompt = parts.map(({ text }) => text).join('')
    expect(prompt).toContain('【参考情報】\n```\n# 世界:\n雨の国。\n```')
    expect(prompt.indexOf('【追加の参考情報】\n```\n# 綾瀬:')).toBeGreaterThan(prompt.indexOf('【本文】'))

    await novel.draft({ isAccepted: true })
    await novel.append(`${opening.repeat(2)}　林が笑った。\n　一。\n　二。\n　三。\n`)
    expect(shown((await novel.preview()).lore?.uses)).toEqual([
      ['世界', 'standing', 'always'],
      ['綾瀬', 'recent', 'sticky'],
      ['林', 'recent', 'match'],
    ])
  })

  it('is said to leave after some takes, not when the anchor moves, in a mode without an anchor', async () => {
    const novel = await openNovel(
      { '資料/林.md': entry('keys: [林]', '　林は猫を飼う。') },
      `${opening}　林が笑った。\n　一。\n　二。\n　三。\n`,
      { fitMode: 'token_dynamic' },
    )
    await novel.draft({ isAccepted: true })
    await novel.append(`${opening.repeat(3)}　一。\n　二。\n　三。\n`)
    expect(shown((await novel.preview()).lore?.uses)).toEqual([['林', 'recent', 'remembered']])
  })

  it.each(['anchored', 'token_dynamic'] as const)(
    'is looked for only in the part of the text that is sent, %s',
    async (fitMode) => {
      const lines = (name: string, count: number) => `　${name}は雨の街を黙って歩いていった。\n`.repeat(count)
      const novel = await openNovel(
        {
          '資料/綾瀬.md': entry('keys: [綾瀬]', '綾瀬の話。'),
          '資料/林.md': entry('keys: [林]', '林の話。'),
        },
        lines('綾瀬', 60) + lines('誰か', 200) + lines('林', 1),
        { fitMode, offsetChars: 0, loreScanChars: 4_000 },
      )
      const used = async () => {
        const { lore, keptChars } = await novel.preview()
        expect(keptChars).toBeLessThan(201 * 17)
        return lore?.uses.map(({ path }) => path)
      }
      expect(await used()).toEqual(['資料/林.md'])
      await novel.draft({ isAccepted: true })
      expect(await used()).toEqual(['資料/林.md'])
    },
  )

  it('holds the beginning of the text on KoboldCpp, too, where entries come and go', async () => {
    const server = await startFakeKobold({ contextTokens: 4096, answer: '続き。' })
    onTestFinished(() => server.close())
    const open = async (materials: Record<string, string>, body: string, fitMode?: 'token_dynamic') => {
      const drafting = { loreScanChars: 400, ...(fitMode && { fitMode }) }
      const files = { '001.txt': body, ...materials }
      const novel = await openLoreApp(tempFolder(), { kobold: server.address }, files, drafting)
      onTestFinished(() => novel.close())
      return novel
    }
    const keyed = { '資料/林.md': entry('keys: [林]', '　林は猫を飼う。') }
    const novel = await open(keyed, `${opening}　林が笑った。\n　一。\n　二。\n　三。\n`)
    await novel.draft({ isAccepted: true })
    await novel.append(`${opening.repeat(3)}　一。\n　二。\n　三。\n`)
    expect(shown((await novel.preview()).lore?.uses)).toEqual([['林', 'recent', 'sticky']])

    const standing = { '資料/世界.md': entry('always: true', '　雨の国。') }
    const asSuits = await (await open(standing, opening.repeat(30))).preview()
    const cutByTokens = await (await open(standing, opening.repeat(30), 'token_dynamic')).preview()
    expect(asSuits.keptChars).toBeLessThan(asSuits.bodyChars)
    expect(asSuits.parts).toEqual(cutByTokens.parts)

    const told = { '000.txt': opening, '資料/あらすじ/000.md': '　雨が降った。\n' }
    const held = await (await open(told, opening.repeat(30))).preview()
    const cut = await (await open(told, opening.repeat(30), 'token_dynamic')).preview()
    expect(held.story?.uses).toHaveLength(1)
    expect(held.keptChars).toBeLessThan(cut.keptChars * 0.9)
  })

  it('does not change a byte of the prompt where no entry is in force', async () => {
    const body = `${opening}　一。\n　二。\n　三。\n`
    const plain = await (await openNovel({}, body)).preview()
    const withMaterials = await (
      await openNovel({ '資料/メモ.md': '# 雨\n', '資料/林.md': entry('keys: [林]', '　林。') }, body)
    ).preview()
    expect(withMaterials.parts).toEqual(plain.parts)
    expect(plain.lore).toBeNull()
  })

  it('that cannot be read is told, and takes no room from the text', async () => {
    const body = opening.repeat(30)
    const plain = await (await openNovel({}, body)).preview()
    const materials = { '資料/壊.md': '---\nkeys: [綾瀬\n---\n　壊れた設定。\n' }
    const broken = await (await openNovel(materials, body)).preview()
    expect(broken.lore?.problems.map(({ problem }) => problem.kind)).toEqual(['front-matter'])
    expect(plain.keptChars).toBeLessThan(plain.bodyChars)
    expect(broken.parts).toEqual(plain.parts)
  })

  it('that stands in a file that cannot be read is told as left out, with the reason, and named in the list', async () => {
    const novel = await openNovel(
      { '資料/大.md': entry('keys: [雨]', '雨'.repeat(700_000)), '資料/像.md': '\0\x01\x02'.repeat(500) },
      opening,
    )
    const { lore } = await novel.preview()
    expect(lore?.unread.map(({ path, error }) => [path, error.code])).toEqual([
      ['資料/像.md', 'file/not-text'],
      ['資料/大.md', 'file/too-large'],
    ])
    const listed = await novel.api['lore.list']({ workId: novel.workId }, novel.context)
    expect(listed.unread).toEqual(lore?.unread)
  })

  it('is told where an expression never ends or cannot be read, and the prompt goes out without it', async () => {
    const novel = await openNovel(
      {
        '資料/悪.md': entry('keys: ["/(雨|雨)+(雨+)+$x/", "/(/", 鐘]', '　悪い式。'),
        '資料/壊.md': '---\nkeys: [綾瀬\n---\n　壊れた設定。\n',
      },
      `${'雨'.repeat(60)}\n${opening}　一。\n　二。\n　三。\n`,
    )
    const { lore, problem } = await novel.preview()
    expect(problem).toBeNull()
    expect(lore?.problems.map((one) => [one.path, one.problem.kind]).toSorted()).toEqual([
      ['資料/壊.md', 'front-matter'],
      ['資料/悪.md', 'bad-pattern'],
      ['資料/悪.md', 'slow-pattern'],
    ])
    expect(shown(lore?.uses)).toEqual([['悪', 'recent', 'match']])
  })

  it('calls other entries one level deep where that is wanted, also where they call each other in a circle', async () => {
    const materials = {
      '資料/綾瀬.md': entry('keys: [綾瀬]', '　綾瀬は林の姉である。'),
      '資料/林.md': entry('keys: [林]', '　林は綾瀬の妹で、猫を飼う。'),
      '資料/猫.md': entry('keys: [猫]', '　猫は猫である。綾瀬に懐く。'),
    }
    const body = `${opening}　綾瀬が来た。\n　一。\n　二。\n　三。\n`
    const names = async (loreRecursion: boolean) => {
      const novel = await openNovel(materials, body, { loreRecursion })
      return (await novel.preview()).lore?.uses.map(({ name }) => name).sort()
    }
    expect(await names(false)).toEqual(['綾瀬'])
    expect(await names(true)).toEqual(['林', '綾瀬'])
  })

  it('keeps dice in its text as they are written, where those of the body are rolled', async () => {
    const novel = await openNovel(
      { '資料/林.md': entry('keys: [林]', '　林は{猫|犬}を飼う。') },
      `${opening}　林が{笑った|泣いた}。\n　一。\n　二。\n　三。\n`,
    )
    const { parts, rolls } = await novel.preview()
    const prompt = parts.map(({ text }) => text).join('')
    expect(prompt).toContain('# 林:\n林は{猫|犬}を飼う。')
    expect(prompt).toMatch(/林が(笑った|泣いた)。/)
    expect(rolls.map(({ source }) => source)).toEqual(['{笑った|泣いた}'])
  })

  it('leads to the text of the entry that called it, and is told to be in the note', async () => {
    const calling = entry('keys: [綾瀬]', '\n　綾瀬は新聞記者で、林の姉である。')
    const novel = await openNovel(
      {
        '資料/綾瀬.md': calling,
        '資料/林.md': entry('keys: [林]', '　猫を飼う。'),
        '資料/鴉.md': entry('keys: [鴉]', '　人の声をまねる。'),
      },
      `${opening}　綾瀬が来た。\n　一。\n　二。\n　三。\n`,
      { loreRecursion: true },
    )
    const patch = { authorsNote: '鴉の話をする。' }
    await novel.api['work.updateDetails']({ workId: novel.workId, patch }, novel.context)
    const { lore } = await novel.preview()
    const reasonOf = (name: string) => lore?.uses.find((use) => use.name === name)?.reason
    const from = calling.indexOf('林')
    expect(reasonOf('林')).toMatchObject({
      foundIn: 'entry',
      at: { path: '資料/綾瀬.md', from, to: from + 1 },
    })
    expect(reasonOf('鴉')).toMatchObject({ foundIn: 'note', at: null })
    expect(reasonOf('綾瀬')).toMatchObject({ foundIn: 'text', at: { path: '001.txt' } })
  })

  it('is listed without texts, under a revision that prompts name until a file changes', async () => {
    const path = '資料/林.md'
    const novel = await openNovel({ [path]: entry('keys: [林]', '　林は猫を飼う。') }, opening)
    const list = () => novel.api['lore.list']({ workId: novel.workId }, novel.context)
    const before = await list()
    expect(JSON.stringify(before)).not.toContain('猫を飼う')
    expect((await novel.preview()).loreRevision).toBe(before.revision)
    await novel.append('　一。\n')
    expect((await novel.preview()).loreRevision).toBe(before.revision)
    const patch = { priority: 60 }
    await novel.api['lore.update']({ workId: novel.workId, path, patch }, novel.context)
    const { loreRevision } = await novel.preview()
    expect(loreRevision).not.toBe(before.revision)
    expect((await list()).revision).toBe(loreRevision)
    expect((await (await openNovel({}, opening)).preview()).loreRevision).toBe('')
  })

  it('is made from a material, with its own text kept', async () => {
    const novel = await openNovel({ '資料/人物.md': '# 綾瀬\n　書生。\n' }, opening)
    const { candidates } = await novel.api['lore.list']({ workId: novel.workId }, novel.context)
    expect(candidates).toEqual([{ path: '資料/人物.md', keys: ['人物', '綾瀬'] }])
    const patch = { keys: ['綾瀬'], range: { from: 2, to: null } }
    const path = '資料/人物.md'
    const { entry } = await novel.api['lore.update']({ workId: novel.workId, path, patch }, novel.context)
    expect(entry.text).toBe('# 綾瀬\n　書生。')
    const { entries } = await novel.api['lore.list']({ workId: novel.workId }, novel.context)
    expect(entries).toMatchObject([{ keys: ['綾瀬'], range: { from: 2, to: null } }])
    expect(await readFile(join(novel.root, '資料/人物.md'), 'utf8')).toBe(
      '---\nkeys:\n  - 綾瀬\nrange: 2-\n---\n# 綾瀬\n　書生。\n',
    )
  })
})
