import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { cardPng, cardV2, tavernLorebook } from '../../fakes/lorebooks.ts'
import { openScriptedNovel } from '../../fakes/rigs/lore-app.ts'

async function openNovel(materials: Record<string, string> = {}) {
  const home = tempFolder()
  const body = '　綾瀬が傘を取った。\n　一。\n　二。\n　三。\n'
  const files = { '001.txt': body, '資料/綾瀬.md': '　元の資料。\n', ...materials }
  const novel = await openScriptedNovel(files, { home })
  const file = async (name: string, bytes: string | Buffer) => {
    await writeFile(join(home, name), bytes)
    return join(home, name)
  }
  return { ...novel, file, onDisk: (path: string) => readFile(join(novel.root, path), 'utf8') }
}

it('imports a lorebook as files beside those that are there, and exports it again', async () => {
  const { api, context, workId, file, onDisk, preview, root } = await openNovel()
  // Without expressions, whose time limit a busy machine may reach.
  const { 0: first, ...others } = tavernLorebook.entries
  const plain = { entries: { 0: { ...first, key: ['綾瀬'], keysecondary: ['傘'] }, ...others } }
  const lorebook = await file('book.json', JSON.stringify(plain))
  const plan = await api['lore.planImport']({ workId, file: lorebook }, context)
  expect(plan).toMatchObject({ format: 'sillytavern', empty: 1 })
  expect(plan.entries.map(({ path }) => path)).toEqual(['資料/綾瀬 2.md', '資料/林.md'])
  await expect(onDisk('資料/林.md')).rejects.toThrow('ENOENT')
  await expect(api['lore.import']({ workId, file: lorebook, hash: 'other' }, context)).rejects.toThrow(
    'file/changed',
  )

  await api['lore.import']({ workId, file: lorebook, hash: plan.hash }, context)
  expect(await onDisk('資料/綾瀬.md')).toBe('　元の資料。\n')
  const made = await onDisk('資料/綾瀬 2.md')
  expect(made).toContain('imported:\n  probability: 40\n')
  expect(made).toContain('---\n新聞記者である。\n')
  const { lore } = await preview()
  expect(lore?.uses.map(({ name, reason }) => [name, reason.kind])).toEqual([['綾瀬 2', 'match']])

  const target = join(root, '..', 'out.json')
  expect(await api['lore.export']({ workId, target }, context)).toEqual({
    path: target,
    count: 2,
    off: [],
    unread: [],
  })
  const written = JSON.parse(await readFile(target, 'utf8')).entries
  expect(written['0'] ?? written['1']).toMatchObject({ content: expect.any(String), position: 0 })
  await expect(api['lore.export']({ workId, target }, context)).rejects.toThrow('file/exists')
})

it('names the entries that an export switches off or leaves out, since they cannot be read', async () => {
  const { api, context, workId, root } = await openNovel({
    '資料/雨.md': '---\nkeys: [雨]\n---\n　雨の国。\n',
    '資料/壊.md': '---\nkeys: "傘\n---\n　壊れた設定。\n',
    '資料/林.md': '---\nkeys: [林]\nrange: 来週\n---\n　猫を飼う。\n',
    '資料/大.md': `---\nkeys: [雪]\n---\n${'雪'.repeat(700_000)}\n`,
  })
  const target = join(root, '..', 'out.json')
  const { off, unread, count } = await api['lore.export']({ workId, target }, context)
  expect(off.toSorted()).toEqual(['資料/壊.md', '資料/林.md'])
  expect(unread).toMatchObject([{ path: '資料/大.md', error: { code: 'file/too-large' } }])
  expect(count).toBe(3)
  const written = Object.values<Record<string, unknown>>(JSON.parse(await readFile(target, 'utf8')).entries)
  const shown = written.map(({ comment, disable, key }) => [comment, disable, key])
  expect(shown.toSorted()).toEqual([
    ['壊', true, []],
    ['林', true, ['林']],
    ['雨', false, ['雨']],
  ])
})

it('imports a card from a picture, and refuses what is none, too large or gone, with nothing written', async () => {
  const { api, context, workId, file, onDisk } = await openNovel()
  const plan = (path: string) => api['lore.planImport']({ workId, file: path }, context)
  const card = await plan(await file('card.png', cardPng({ chara: cardV2 })))
  expect(card.entries.map(({ path }) => path)).toEqual(['資料/綾瀬 2.md', '資料/塔.md'])
  await expect(plan(await file('none.json', '{"a":1}'))).rejects.toThrow('lore/bad-import')
  await expect(plan(await file('large.json', Buffer.alloc(50_000_000, 0x5b)))).rejects.toThrow(
    'file/too-large',
  )
  await expect(plan('/nowhere/book.json')).rejects.toThrow('file/not-found')
  await expect(onDisk('資料/塔.md')).rejects.toThrow('ENOENT')
})

it('imports entries with hostile expressions, which are told and stop nothing', async () => {
  const { api, context, workId, file, preview } = await openNovel()
  const entries = {
    0: { key: ['/(綾|瀬|が)+(綾+)+$x/', '/(/', '傘'], comment: '悪', content: '../../悪い式。' },
    1: { key: ['../../x'], comment: '../../etc/passwd', content: '外。' },
  }
  const lorebook = await file('bad.json', JSON.stringify({ entries }))
  const { hash, entries: planned } = await api['lore.planImport']({ workId, file: lorebook }, context)
  expect(planned.every(({ path }) => path.startsWith('資料/') && !path.includes('..'))).toBe(true)
  await api['lore.import']({ workId, file: lorebook, hash }, context)
  const { lore, problem } = await preview()
  expect(problem).toBeNull()
  expect(lore?.problems.map((one) => one.problem.kind)).toContain('bad-pattern')
  expect(lore?.uses.map(({ name }) => name)).toEqual(['悪'])
})
