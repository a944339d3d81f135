import { describe, expect, it } from 'vitest'
import { firstWord } from './message-ghost.ts'

/** The pieces in which a ghost is taken word by word. */
function pieces(text: string): string[] {
  const accepted: string[] = []
  for (let rest = text; rest !== ''; rest = rest.slice(accepted.at(-1)?.length))
    accepted.push(firstWord(rest))
  return accepted
}

describe('the words of a ghost', () => {
  it.each([
    ['run the tests', ['run', ' the', ' tests']],
    ['commit.', ['commit.']],
    ['fix it, then push!', ['fix', ' it', ', then', ' push!']],
    ['テストを実行', ['テスト', 'を', '実行']],
    ['「猫」と「犬」。', ['「猫', '」と', '「犬」。']],
    ['/review', ['/review']],
    ['…', ['…']],
    ["don't stop", ["don't", ' stop']],
  ])('%s', (text, wanted) => expect(pieces(text)).toEqual(wanted))
})
