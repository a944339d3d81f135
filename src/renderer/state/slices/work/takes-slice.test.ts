import { describe, expect, it } from 'vitest'
import { fixtureTake } from '../../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { ManuscriptEditor, TextReplacement } from '../../../editor/editor-types.ts'
import { transferText } from './takes-slice.ts'

const original = '雨が降る。'

/** A window whose text has one wording of the first sentence, accepted, and another one among the takes. */
async function openAccepted(text: string) {
  const { host, store } = await openWindow()
  const path = store.getState().documents.activePath ?? ''
  const rewrite = { from: 0, original, instruction: '短く。' }
  const place = { path, placeId: 'snow', mode: 'rewrite', rewrite } as const
  const accepted = { state: 'inserted', acceptedLength: 5 } as const
  const takes = [
    fixtureTake({ ...place, ...accepted, takeId: 'snow', text: '雪が舞う。' }),
    fixtureTake({ ...place, takeId: 'fog', text: '霧が出る。', state: 'pending' }),
  ]
  for (const take of takes) host.runs.putTake(take)
  store.getState().takes.merge(takes)
  let shown = text
  store.editor.current = {
    focus: () => undefined,
    replaceText: (wish: TextReplacement) => {
      if (!shown.includes(wish.original)) return false
      shown = shown.replace(wish.original, wish.text)
      return true
    },
  } as unknown as ManuscriptEditor
  return { store, text: () => shown, insert: () => store.getState().takes.insert('fog') }
}

describe('another wording of a sentence that was rewritten', () => {
  it('replaces the wording that was accepted, and not another sentence that reads like the original', async () => {
    const { text, insert } = await openAccepted(`雪が舞う。彼は歩く。${original}`)
    await insert()
    expect(text()).toBe(`霧が出る。彼は歩く。${original}`)
  })

  it('replaces nothing where the accepted wording was edited since', async () => {
    const { store, text, insert } = await openAccepted(`雪が激しく舞う。彼は歩く。${original}`)
    await insert()
    expect(text()).toBe(`雪が激しく舞う。彼は歩く。${original}`)
    expect(store.getState().ui.toasts).toMatchObject([{ message: { key: 'rewrite.moved' } }])
  })
})

describe('a transfer by hand', () => {
  const text = '一行目\n二行目'
  it.each([
    ['cursor', 1, 2, { at: 1, insert: '文' }],
    ['next_line_always', 1, 0, { at: 3, insert: '\n文' }],
    ['next_line_always', 5, 2, { at: 7, insert: '\n\n\n文' }],
    ['next_line_eol', 3, 1, { at: 3, insert: '\n\n文' }],
    ['next_line_eol', 2, 1, { at: 2, insert: '文' }],
    ['next_line_eol', 7, 0, { at: 7, insert: '\n文' }],
  ] as const)('%s at %i with %i blank lines', (mode, caret, blankLines, wanted) => {
    expect(transferText(text, caret, '文', { mode, blankLines })).toEqual(wanted)
  })
})
