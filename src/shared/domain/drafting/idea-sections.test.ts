import { describe, expect, it } from 'vitest'
import { japaneseWords as words } from '../../../../tests/fakes/rigs/fake-draft.ts'
import { fieldChange, filterIdea, ideaStops, readIdea } from './idea-sections.ts'

const idea = `もちろんです。
# タイトル: 刻の迷宮
副題

## キーワード：
- 時計
・逆行
* 館
**強調**

###### あらすじ:
文中の # プロット: は見出しではない。
# あらすじ:
二つ目
# セリフ量: 多い
# プロット:
`

describe('an idea', () => {
  it('stops before the next item', () => {
    expect(ideaStops('setting', words)).toEqual(['\n# プロット:'])
    expect(ideaStops('plot', words)).toEqual([])
    expect(ideaStops('all', words)).toEqual([])
  })

  it('is filtered to the first section of the item', () => {
    expect(filterIdea(idea, 'synopsis', words)).toBe(
      '###### あらすじ:\n文中の # プロット: は見出しではない。',
    )
    expect(filterIdea(idea, 'genres', words)).toBe('')
    expect(filterIdea(idea, 'all', words)).toBe(idea)
  })

  it('fills a field, and changes nothing where its section is missing or empty', () => {
    expect(fieldChange(idea, 'title', words)).toEqual({ title: '刻の迷宮' })
    expect(fieldChange(idea, 'keywords', words)).toEqual({ keywords: ['時計', '逆行', '館', '**強調**'] })
    expect(fieldChange(idea, 'genres', words)).toEqual({})
    expect(fieldChange(idea, 'plot', words)).toEqual({})
    expect(fieldChange('# 設定:\r\n一\r\n\r\n二\r\n', 'setting', words)).toEqual({ setting: '一\n\n二' })
  })

  it('needs a header with one to six hashes at a line start and a colon', () => {
    for (const text of ['####### 設定:\nx', '文 # 設定:\nx', '# 設定\nx', '設定:\nx']) {
      expect(fieldChange(text, 'setting', words)).toEqual({})
    }
    expect(fieldChange('  #設定 ：x', 'setting', words)).toEqual({ setting: 'x' })
  })

  it('is read as sections by the language that its headers are of, also while it is written', () => {
    const english = { fields: { ...words.fields, title: 'Title', plot: 'Plot', setting: 'Setting' } }
    expect(readIdea('# Title:\nThe Maze\n# Plot:\n', [words, english])).toEqual({
      sections: { title: 'The Maze' },
      change: { title: 'The Maze' },
    })
    expect(Object.keys(readIdea(idea, [english, words]).sections)).toEqual(['title', 'keywords', 'synopsis'])
    expect(readIdea('よい考えがあります。', [words, english])).toEqual({ sections: {}, change: {} })
  })
})
