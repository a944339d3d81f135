import {
  backfillV2WithObsolescenceNotice,
  book,
  parseToV2,
  safeParseToV2,
  v1ToV2,
} from 'character-card-utils'
import { describe, expect, it } from 'vitest'
import { cardPng, cardV1, cardV2, cardV3, tavernLorebook } from '../../../../tests/fakes/lorebooks.ts'
import { LoreEntry } from '../../../shared/domain/lore/lore.ts'
import { writeTavernLorebook } from './exchange-service.ts'
import { cardText } from './png-text.ts'
import { readLorebook } from './read-lorebook.ts'

// The package `character-card-utils`, by another author, checks and makes cards by its own schemas of the V2 specification.
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const entriesOf = (bytes: Uint8Array) =>
  readLorebook(bytes)?.entries.map(({ name, text, settings }) => ({ name, text, keys: settings.keys }))

describe('the library of another author', () => {
  it('accepts the cards that our tests import, and refuses what is none', () => {
    expect(parseToV2(cardV2)).toMatchObject(cardV2)
    expect(parseToV2(JSON.parse(cardText(cardPng({ chara: cardV2 })) ?? ''))).toMatchObject(cardV2)
    // It knows V2 alone: of V3 it reads the fields that both have, and the lorebook.
    expect(safeParseToV2({ ...cardV3, spec: 'chara_card_v2' }).success).toBe(true)
    expect(book.parse(cardV3.data.character_book).entries[0]).toMatchObject({ keys: ['塔|鐘'] })
    expect(safeParseToV2({ ...cardV2, data: { ...cardV2.data, name: 1 } }).success).toBe(false)
    expect(safeParseToV2(tavernLorebook).success).toBe(false)
  })

  it('makes cards that are imported alike in each form that it writes', () => {
    const made = v1ToV2(cardV1)
    const person = { name: 'Ayase', text: 'Ayase is a reporter.\n\nQuiet.\n\nA tower.', keys: ['Ayase'] }
    expect(entriesOf(bytesOf(cardV1))).toEqual([person])
    expect(entriesOf(bytesOf(made))).toEqual([person])
    expect(readLorebook(bytesOf(made))?.format).toBe('card-v2')
    // Its notice to old programs stands in the fields of V1, which are not those that count.
    expect(entriesOf(bytesOf(backfillV2WithObsolescenceNotice(made)))).toEqual([person])
    expect(entriesOf(cardPng({ chara: made }))).toEqual([person])
  })

  it('accepts the entries that we export, as the lorebook of a card that is read again as it was', () => {
    const entry = LoreEntry.parse({
      path: '資料/塔.md',
      name: '塔',
      text: '五時で止まっている。',
      textFrom: 0,
      keys: ['時計塔'],
      also: ['鐘'],
      never: [],
      always: false,
      priority: 80,
      enabled: true,
      problems: [],
    })
    const [written] = Object.values(writeTavernLorebook([entry]).entries) as {
      key: string[]
      keysecondary: string[]
      comment: string
      content: string
      constant: boolean
      selective: boolean
      order: number
      disable: boolean
    }[]
    if (written === undefined) throw new Error('nothing was written')
    // As SillyTavern puts world info into a card.
    const inCard = {
      keys: written.key,
      secondary_keys: written.keysecondary,
      comment: written.comment,
      content: written.content,
      constant: written.constant,
      selective: written.selective,
      insertion_order: written.order,
      enabled: !written.disable,
      extensions: {},
    }
    const card = parseToV2({
      ...cardV2,
      data: { ...cardV2.data, character_book: { entries: [inCard], extensions: {} } },
    })
    const [, read] = readLorebook(bytesOf(card))?.entries ?? []
    expect(read).toMatchObject({
      name: '塔',
      text: '五時で止まっている。',
      settings: { keys: ['時計塔'], priority: 80, enabled: true },
    })
  })
})
