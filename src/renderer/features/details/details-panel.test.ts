import { describe, expect, it } from 'vitest'
import { linkedFiles } from './details-panel.tsx'

const files = ['小説/第一章.md', '小説/第二 章.md', '資料/地図.md', '資料/地', 'か\u3099.md', 'src/a.ts']

describe('files that a field names', () => {
  it.each([
    ['@小説/第一章.mdを先に読む', ['小説/第一章.md']],
    ['@"小説/第二 章.md"。@資料/地図.md', ['小説/第二 章.md', '資料/地図.md']],
    ['@資料/地図.md と @資料/地図.md#L5', ['資料/地図.md']],
    ['@資料/地図帳', ['資料/地']],
    ['@が.md', ['か\u3099.md']],
    ['@小説/第九章.md', []],
    ['@src/a.tsx と @src/a.tsを', ['src/a.ts']],
    ['me@小説/第一章.md @param', []],
    ['', []],
  ])('%s', (text, wanted) => expect(linkedFiles(text, files)).toEqual(wanted))
})
