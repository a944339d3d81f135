import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { FindResult } from '../../../../shared/domain/work/find.ts'

const hit = (from: number) => ({
  from,
  to: from + 1,
  line: 1,
  before: '',
  match: '雨',
  after: '',
  insert: '',
})
const found: FindResult = {
  chapters: [{ path: '001.txt', hash: 'h', hits: [hit(0), hit(4)] }],
  total: 2,
  isTruncated: false,
  unread: [],
}

async function searched(isRegex: boolean) {
  const host = new FakeHost()
  host.foundInWork = found
  const { store, asked } = await openWindow({ host })
  const find = () => store.getState().find
  find().setQuery({ text: '雨', isRegex })
  await find().find()
  find().choose('001.txt', [hit(0)], false)
  return { find, asked }
}

describe('a replacement that is typed after the search', () => {
  it('keeps what was found and chosen, and goes into each place', async () => {
    const { find, asked } = await searched(false)
    find().setReplacement('雪')
    expect(find().result?.total).toBe(2)
    await find().replace()
    expect(asked('work.replace')).toMatchObject([
      { chosen: [{ path: '001.txt', hash: 'h', edits: [{ from: 4, to: 5, insert: '雪' }] }] },
    ])
  })

  it('asks for another search where groups are to be filled in', async () => {
    const { find } = await searched(true)
    find().setReplacement('$1')
    expect(find().result).toBeNull()
  })
})
