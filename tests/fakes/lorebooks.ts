import { crc32 } from 'node:zlib'

/** Files of entries as other programs export them, written by their published descriptions. */
export const tavernLorebook = {
  entries: {
    0: {
      uid: 0,
      key: ['綾瀬', '/ayase\\w*/i'],
      keysecondary: ['傘', '雨具'],
      comment: '綾瀬',
      content: '新聞記者である。',
      constant: false,
      selective: true,
      selectiveLogic: 0,
      order: 80,
      position: 4,
      disable: false,
      probability: 40,
      useProbability: true,
      depth: 4,
      group: '',
      cooldown: 3,
    },
    1: {
      uid: 1,
      key: ['林'],
      keysecondary: ['夢'],
      comment: '林',
      content: '猫を飼う。',
      constant: true,
      selectiveLogic: 2,
      order: 300,
      disable: true,
    },
    2: { uid: 2, key: ['空'], comment: '空の項目', content: '' },
  },
}

export const novelAiLorebook = {
  lorebookVersion: 5,
  entries: [
    {
      text: 'The tower has stopped at five.',
      contextConfig: {
        prefix: '',
        suffix: '\n',
        tokenBudget: 2048,
        budgetPriority: 400,
        trimDirection: 'trimBottom',
      },
      displayName: 'Clock tower',
      id: 'a',
      keys: ['tower', '/clock(s)?/'],
      searchRange: 5000,
      enabled: true,
      forceActivation: false,
      loreBiasGroups: [],
      category: '',
    },
  ],
  settings: { orderByKeyLocations: false },
  categories: [],
}

export const koboldLorebook = {
  folders: { 1: { name: 'People', collapsed: false } },
  entries: {
    5: {
      uid: 5,
      title: '',
      key: ['Hayashi'],
      keysecondary: ['cat'],
      folder: '1',
      constant: false,
      selective: true,
      content: 'Keeps a cat.',
      comment: 'Hayashi',
      use_wpp: false,
      wpp: {},
    },
  },
}

export const koboldLiteLorebook = [
  {
    key: 'tower, clock',
    keysecondary: '',
    keyanti: 'dream',
    content: 'It has stopped.',
    comment: '',
    folder: null,
    selective: false,
    constant: false,
    probability: '100',
  },
]

/** The first version of cards: the fields alone, without a lorebook. */
export const cardV1 = {
  name: 'Ayase',
  description: '{{char}} is a reporter.',
  personality: 'Quiet.',
  scenario: 'A tower.',
  first_mes: 'Hello.',
  mes_example: '',
}

export const cardV2 = {
  spec: 'chara_card_v2',
  spec_version: '2.0',
  data: {
    name: '綾瀬',
    description: '{{char}}は新聞記者。',
    personality: '静か。',
    scenario: '',
    first_mes: 'こんにちは。',
    mes_example: '',
    creator_notes: '',
    system_prompt: '',
    post_history_instructions: '',
    alternate_greetings: [],
    tags: [],
    creator: '',
    character_version: '',
    extensions: {},
    character_book: {
      extensions: {},
      entries: [
        {
          keys: ['時計塔'],
          content: '五時で止まっている。',
          extensions: {},
          enabled: true,
          insertion_order: 10,
          case_sensitive: true,
          name: '塔',
          selective: true,
          secondary_keys: ['鐘'],
          constant: false,
          position: 'after_char',
        },
      ],
    },
  },
}

export const cardV3 = {
  ...cardV2,
  spec: 'chara_card_v3',
  spec_version: '3.0',
  data: {
    ...cardV2.data,
    nickname: '先生',
    group_only_greetings: [],
    character_book: {
      extensions: {},
      entries: [
        {
          keys: ['塔|鐘'],
          content: '@@depth 5\n@@role assistant\n五時で止まっている。',
          extensions: {},
          enabled: true,
          insertion_order: 10,
          use_regex: true,
          constant: false,
        },
      ],
    },
  },
}

/** A picture of one pixel with text chunks, the card in base64. */
export function cardPng(chunks: Readonly<Record<string, unknown>>): Buffer {
  const pixel = Buffer.from([0x78, 0x9c, 0x63, 0, 0, 0, 2, 0, 1, 0xe2, 0x21, 0xbc, 0x33])
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
  const texts = Object.entries(chunks).map(([keyword, card]) => {
    const encoded = Buffer.from(JSON.stringify(card)).toString('base64')
    return chunkOf('tEXt', Buffer.from(`${keyword}\0${encoded}`, 'latin1'))
  })
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunkOf('IHDR', header),
    ...texts,
    chunkOf('IDAT', pixel),
    chunkOf('IEND', Buffer.alloc(0)),
  ])
}

function chunkOf(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
