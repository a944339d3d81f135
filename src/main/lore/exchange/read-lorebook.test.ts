import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  cardPng,
  cardV2,
  cardV3,
  koboldLiteLorebook,
  koboldLorebook,
  novelAiLorebook,
  tavernLorebook,
} from '../../../../tests/fakes/lorebooks.ts'
import { LoreEntry } from '../../../shared/domain/lore/lore.ts'
import { writeTavernLorebook } from './exchange-service.ts'
import { readLorebook } from './read-lorebook.ts'

const read = (value: unknown) => readLorebook(Buffer.from(JSON.stringify(value)))

describe('a lorebook', () => {
  it('of SillyTavern is read with its conditions; what has no counterpart is named and kept', () => {
    const lorebook = read(tavernLorebook)
    expect(lorebook).toMatchObject({ format: 'sillytavern', empty: 1 })
    expect(lorebook?.entries[0]).toMatchObject({
      name: '綾瀬',
      text: '新聞記者である。',
      settings: { keys: ['綾瀬', '/ayase\\w*/'], also: ['/(?:傘|雨具)/'], priority: 80 },
      kept: { probability: 40, cooldown: 3, position: 4 },
    })
    expect([...(lorebook?.entries[0]?.losses ?? [])].sort()).toEqual(['place', 'probability', 'timing'])
    expect(lorebook?.entries[1]?.settings).toMatchObject({
      never: ['夢'],
      always: true,
      enabled: false,
      priority: 100,
    })
    expect(lorebook?.entries[1]).toMatchObject({ kept: { order: 300 }, losses: new Set(['priority']) })
  })

  it('of NovelAI and KoboldAI is read', () => {
    expect(read(novelAiLorebook)?.entries[0]).toMatchObject({
      name: 'Clock tower',
      settings: { keys: ['tower', '/clock(s)?/'], priority: 50, enabled: true },
      kept: { searchRange: 5000 },
    })
    expect(read(koboldLorebook)).toMatchObject({
      format: 'koboldai',
      entries: [{ name: 'Hayashi', settings: { keys: ['Hayashi'], also: ['cat'] } }],
    })
    expect(read(koboldLiteLorebook)?.entries[0]?.settings).toMatchObject({
      keys: ['tower', 'clock'],
      never: ['dream'],
    })
  })

  it('of KoboldAI Lite is read with what is switched off there, and its share and group are named', () => {
    const [entry] = koboldLiteLorebook
    const own = { ...entry, widisabled: true, wigroup: 'Places', probability: '40' }
    expect(read([own])?.entries[0]).toMatchObject({
      settings: { enabled: false },
      kept: { wigroup: 'Places', probability: '40' },
      losses: new Set(['probability', 'group']),
    })
  })

  it('of NovelAI names another place in the context, and no bias that is empty', () => {
    const [entry] = novelAiLorebook.entries
    const context = { ...entry?.contextConfig, insertionPosition: 0, prefix: '[' }
    const loreBiasGroups = [{ phrases: [], ensureSequenceFinish: false, bias: 0 }]
    const own = { ...entry, searchRange: 1000, contextConfig: context, loreBiasGroups }
    expect(read({ ...novelAiLorebook, entries: [own] })?.entries[0]).toMatchObject({
      kept: { contextConfig: context },
      losses: new Set(['place']),
    })
    const plain = { ...own, contextConfig: entry?.contextConfig }
    expect(read({ ...novelAiLorebook, entries: [plain] })?.entries[0]?.losses).toEqual(new Set())
  })

  it.each([
    ['SillyTavern', [100, 300, -5, 100, 250], [98, 100, 0, 98, 99], [100, 300, -5, 100, 250]],
    ['SillyTavern', [0, 70, 100], [0, 70, 100], []],
    ['NovelAI', [400, 8_000, 401, 900], [49, 100, 50, 99], [400, 8_000, 900]],
    ['a card', [-1, 0, 1, 2_000], [0, 1, 2, 100], [-1, 0, 1, 2_000]],
  ])(
    'of %s keeps the order of priorities %j, and the numbers that become others',
    (kind, orders, expected, kept) => {
      const named = orders.map((order, at) => ({ order, name: `e${at}` }))
      const tavern = named.map(({ order, name }) => ({ key: [name], content: '文', order }))
      const novelAi = named.map(({ order, name }) => ({
        keys: [name],
        text: '文',
        contextConfig: { budgetPriority: order },
      }))
      const inCard = named.map(({ order, name }) => ({ keys: [name], content: '文', insertion_order: order }))
      const card = { ...cardV2, data: { ...cardV2.data, character_book: { entries: inCard } } }
      const lorebooks = {
        SillyTavern: { entries: { ...tavern } },
        NovelAI: { lorebookVersion: 5, entries: novelAi },
        'a card': card,
      }
      const entries = read(lorebooks[kind as keyof typeof lorebooks])?.entries ?? []
      const [person, ...rest] = entries
      if (kind === 'a card') expect(person?.settings.priority).toBe(50)
      const own = kind === 'a card' ? rest : entries
      expect(own.map(({ settings }) => settings.priority)).toEqual(expected)
      const numbers = own.flatMap((entry) => Object.values(entry.kept))
      expect(numbers.toSorted()).toEqual(kept.toSorted())
      expect(own.filter(({ losses }) => losses.has('priority'))).toHaveLength(kept.length)
    },
  )

  it('with more priorities than there are steps keeps their order as far as these go', () => {
    const entries = Array.from({ length: 300 }, (_, at) => ({ key: ['塔'], content: '文', order: at * 7 }))
    const priorities =
      read({ entries: { ...entries } })?.entries.map(({ settings }) => settings.priority) ?? []
    expect(priorities).toEqual(priorities.toSorted((a, b) => a - b))
    expect(new Set(priorities).size).toBe(101)
  })

  it('of NovelAI is switched off with its category, whose name and settings are named and kept', () => {
    const [entry] = novelAiLorebook.entries
    const defaults = { text: '', contextConfig: {} }
    const bias = [{ phrases: [], bias: 0 }]
    const categories = [
      { id: 'off', name: 'People', enabled: false, categoryBiasGroups: bias, createSubcontext: false },
      {
        id: 'on',
        name: 'Places',
        enabled: true,
        useCategoryDefaults: true,
        categoryDefaultSettings: defaults,
        categoryBiasGroups: [{ phrases: ['rain'], bias: 1 }],
      },
    ]
    const entries = ['off', 'on', 'gone'].map((category) => ({ ...entry, searchRange: 1000, category }))
    const [off, on, gone] = read({ ...novelAiLorebook, categories, entries })?.entries ?? []
    expect(off).toMatchObject({ settings: { enabled: false }, kept: { category: 'People' } })
    expect(off?.losses).toEqual(new Set(['group']))
    expect(on).toMatchObject({ settings: { enabled: true }, losses: new Set(['group', 'bias']) })
    expect(on?.kept).toMatchObject({ category: 'Places', categoryDefaultSettings: defaults })
    expect(gone).toMatchObject({ settings: { enabled: true }, kept: { category: 'gone' } })
  })

  it('of a card keeps what its maker says of it', () => {
    const data = { ...cardV2.data, creator_notes: '夜の場面に。', tags: ['新聞'] }
    expect(read({ ...cardV2, data })?.entries[0]).toMatchObject({
      kept: { creator_notes: '夜の場面に。', tags: ['新聞'] },
      losses: new Set(['card', 'other']),
    })
  })

  it('of a card has the name of the person in its entries, too', () => {
    const entries = [{ keys: ['記者証'], content: '{{char}}の記者証。', enabled: true, insertion_order: 1 }]
    const card = { ...cardV2, data: { ...cardV2.data, name: '綾瀬', character_book: { entries } } }
    expect(read(card)?.entries[1]?.text).toBe('綾瀬の記者証。')
  })

  it('names what it does not use, also where that is too long to be kept', () => {
    const card = { ...cardV2, data: { ...cardV2.data, first_mes: '雨。'.repeat(3_000) } }
    expect([...(read(card)?.entries[0]?.losses ?? [])]).toEqual(['card'])
    const entry = { key: ['塔'], content: '文', characterFilter: { names: Array(900).fill('綾瀬') } }
    expect(read({ entries: { 0: entry } })?.entries[0]).toMatchObject({
      kept: {},
      losses: new Set(['other', 'long-fields']),
    })
  })

  it('says that a text is cut, at a whole character, and that there are too many entries', () => {
    const lorebook = read({ entries: { 0: { key: ['塔'], content: `あ${'😀'.repeat(250_000)}` } } })
    expect(lorebook?.entries[0]?.text).toBe(`あ${'😀'.repeat(249_999)}`)
    expect(lorebook?.entries[0]?.losses).toEqual(new Set(['long-text']))
    const many = Array.from({ length: 10_003 }, () => ({ key: ['塔'], content: '文' }))
    expect(read({ entries: many, lorebookVersion: 4 })).toMatchObject({ tooMany: 3, empty: 10_000 })
    const card = { ...cardV2, data: { ...cardV2.data, character_book: { entries: many } } }
    expect(read(card)?.tooMany).toBe(3)
  })

  it('says that secondary keys are left out which are too long together', () => {
    const keysecondary = Array.from({ length: 300 }, (_, at) => `名前${at}`)
    const lorebook = read({ entries: { 0: { key: ['塔'], keysecondary, selective: true, content: '文' } } })
    expect(lorebook?.entries[0]?.settings.also).toEqual([])
    expect([...(lorebook?.entries[0]?.losses ?? [])]).toEqual(['long-keys'])
  })

  it('joins secondary keys with a hyphen into an expression that can be read', () => {
    const entry = { key: ['塔'], keysecondary: ['Jean-Luc', 'a.b'], selective: true, content: '文' }
    const [joined = ''] = read({ entries: { 0: entry } })?.entries[0]?.settings.also ?? []
    expect(new RegExp(joined.slice(1, -1), 'iu').test('Jean-Luc')).toBe(true)
  })

  it('leaves out an expression that its slashes make too long, and reads the rest of the card', () => {
    const entry = { keys: ['x'.repeat(999), '雨'], content: '本文', use_regex: true, insertion_order: 1 }
    const data = { ...cardV2.data, character_book: { entries: [entry] } }
    const [, own] = read({ ...cardV2, data })?.entries ?? []
    expect(own).toMatchObject({ settings: { keys: ['/雨/'] } })
    expect([...(own?.losses ?? [])]).toContain('long-keys')
  })

  it.each([
    ['JSON', Buffer.from(JSON.stringify(cardV2)), 'card-v2'],
    ['PNG', cardPng({ chara: cardV2 }), 'card-v2'],
    ['PNG with both versions', cardPng({ chara: cardV2, ccv3: cardV3 }), 'card-v3'],
  ])('of a character card is the person and the card’s own entries: %s', (_, bytes, format) => {
    const lorebook = readLorebook(bytes)
    expect(lorebook?.format).toBe(format)
    expect(lorebook?.entries[0]).toMatchObject({ name: '綾瀬', text: '綾瀬は新聞記者。\n\n静か。', kept: {} })
    expect([...(lorebook?.entries[0]?.losses ?? [])]).toContain('card')
    expect(lorebook?.entries[1]?.text).toBe('五時で止まっている。')
    expect(lorebook?.entries[1]?.settings.keys).toEqual(format === 'card-v3' ? ['/塔|鐘/'] : ['時計塔'])
  })

  it.each([
    [0, { also: ['/(?:雨|夢)/'], never: [] }, []],
    [1, { also: [], never: [] }, ['logic']],
    [2, { also: [], never: ['雨', '夢'] }, []],
    [3, { also: ['雨', '夢'], never: [] }, []],
  ])('of a SillyTavern card has its secondary keys by their logic: %s', (selectiveLogic, wanted, losses) => {
    const entry = {
      keys: ['塔'],
      secondary_keys: ['雨', '夢'],
      selective: true,
      content: '本文',
      extensions: { selectiveLogic },
    }
    const data = { ...cardV2.data, character_book: { entries: [entry] } }
    const [, own] = read({ ...cardV2, data })?.entries ?? []
    expect(own).toMatchObject({ settings: wanted })
    expect([...(own?.losses ?? [])]).toEqual(losses)
    const kept = { selectiveLogic, secondary_keys: ['雨', '夢'] }
    expect(own?.kept).toEqual(losses.length > 0 ? kept : {})
  })

  it('of a card without a version is read as the person that it is', () => {
    const person = { name: 'Hayashi', description: 'Keeps a cat.', first_mes: 'Hello.' }
    expect(read(person)).toMatchObject({ format: 'card-v1', entries: [{ text: 'Keeps a cat.' }] })
  })

  it('that we write is read again as it was', () => {
    const entry = LoreEntry.parse({
      path: '資料/a.md',
      name: 'a',
      text: '本文。',
      textFrom: 0,
      problems: [],
      keys: ['鐘', '/塔+/'],
      also: ['雨', '傘'],
      priority: 70,
    })
    expect(Object.values(writeTavernLorebook([entry]).entries)[0]).toMatchObject({ key: ['鐘', '/塔+/iu'] })
    const again = read(writeTavernLorebook([entry]))?.entries[0]
    expect(again).toMatchObject({ name: 'a', text: '本文。', kept: {} })
    expect(again?.settings).toMatchObject({ keys: entry.keys, also: entry.also, priority: 70, enabled: true })
    expect([...(again?.losses ?? [])]).toEqual([])
  })

  it('that we write keeps the chapters and the excluding keys of an entry that also has required ones', () => {
    const entries = [
      { also: ['雨'], never: ['夢', '/幻+/'], range: { from: 3, to: null } },
      { never: ['夢'], range: { from: null, to: 7 } },
      { also: ['雨'], never: [] },
    ].map((settings) =>
      LoreEntry.parse({
        path: '資料/a.md',
        name: 'a',
        text: '本文。',
        textFrom: 0,
        problems: [],
        keys: ['鐘'],
        ...settings,
      }),
    )
    const again = read(writeTavernLorebook(entries))?.entries
    expect(again?.map(({ settings }) => settings)).toEqual(
      entries.map(({ path, name, text, textFrom, problems, ...settings }) => settings),
    )
    const [first] = Object.values(writeTavernLorebook(entries).entries)
    const broken = { ...(first as object), extensions: { tsugi: { never: 1, range: { from: -1, to: 'x' } } } }
    expect(read({ entries: { 0: broken } })?.entries[0]?.settings).toMatchObject({ never: [], range: null })
  })

  it.each([
    ['no JSON', '{'],
    ['a text', '"a"'],
    ['another object', '{"a":1}'],
    ['a deep list', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['a deep object', `${'{"entries":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
    ['entries that are none', '{"entries":[1,null,"x"]}'],
    ['a picture without a card', cardPng({})],
    ['a cut picture', cardPng({ chara: cardV2 }).subarray(0, 80)],
    ['a picture whose card is no JSON', cardPng({ chara: 'x' })],
  ])('is none where it is %s', (_, source) => {
    expect(readLorebook(Buffer.from(source as string))?.entries ?? []).toEqual([])
  })

  it('takes values of the wrong kind as absent', () => {
    const lorebook = read({
      entries: {
        a: {
          key: [1, null, 'x', 'y'.repeat(5_000)],
          content: '文',
          order: '7',
          constant: 'yes',
          probability: {},
        },
        b: null,
        c: [],
      },
    })
    expect(lorebook?.entries).toHaveLength(1)
    expect(lorebook?.entries[0]?.settings).toMatchObject({ keys: ['x'], always: false, priority: 100 })
  })
})

it('takes a small file for no large text: its packed card, and a name in the place of each mark', () => {
  const packed = Buffer.concat([Buffer.from('chara\0\0'), deflateSync(Buffer.alloc(400_000_000))])
  const chunk = Buffer.concat([Buffer.alloc(8), packed, Buffer.alloc(4)])
  chunk.writeUInt32BE(packed.length)
  chunk.write('zTXt', 4, 'latin1')
  expect(readLorebook(Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk]))).toBeUndefined()
  const marks = '{{char}}'.repeat(60_000)
  const name = '綾'.repeat(100_000)
  const card = read({ name, description: marks, personality: marks, scenario: marks, first_mes: '' })
  expect(card?.entries[0]?.text.length).toBeLessThanOrEqual(180_000 * 200 + 4)
})

it('looks at no more entries than may be taken, and unpacks one text of each keyword', () => {
  expect(read([{ key: 'a' }, ...Array.from({ length: 1_000_000 }, () => ({}))])).toMatchObject({
    empty: 10_000,
  })
  const packed = Buffer.concat([Buffer.from('chara\0\0'), deflateSync(Buffer.alloc(1_000_000))])
  const chunk = Buffer.concat([Buffer.alloc(8), packed, Buffer.alloc(4)])
  chunk.writeUInt32BE(packed.length)
  chunk.write('zTXt', 4, 'latin1')
  const head = Buffer.from('89504e470d0a1a0a', 'hex')
  // Unpacked one by one they would take half a minute.
  expect(readLorebook(Buffer.concat([head, ...Array.from({ length: 5_000 }, () => chunk)]))).toBeUndefined()
})
