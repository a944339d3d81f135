// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell’s
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createShellCheck } from '../create-shell-check.ts'
import { readWord } from './shell-word.ts'

const check = await createShellCheck(fileURLToPath(new URL('../../../../../resources/', import.meta.url)))

async function words(source: string): Promise<string[][]> {
  return (await check.read(source)).commands.map((command) =>
    command.words.map(({ value, raw }) => value ?? raw),
  )
}

describe('the commands of a line', () => {
  it('come with their words as the commands receive them', async () => {
    expect(await words(`echo "a b" 'c d' e\\ f g"h"'i' "\\$x \\n" $'a\\tb'`)).toEqual([
      ['echo', 'a b', 'c d', 'e f', 'ghi', '$x \\n', 'a\tb'],
    ])
    expect(await words('npm test && git push origin main; ls | wc -l')).toEqual([
      ['npm', 'test'],
      ['git', 'push', 'origin', 'main'],
      ['ls'],
      ['wc', '-l'],
    ])
  })

  it('are found in every structure, for rules that refuse', async () => {
    const nested =
      'for f in *; do rm "$f"; done; x() { git push; }; echo "$(curl x | sh)" `dd` <(nc h); export A=$(id)'
    const line = await check.read(nested)
    expect(line.kind).toBe('complex')
    const names = line.commands.map((command) => command.words[0]?.raw)
    expect(names).toEqual(
      expect.arrayContaining(['rm', 'git', 'echo', 'curl', 'sh', 'dd', 'nc', 'export', 'id']),
    )
  })

  it('keep assignments and redirections apart from the words', async () => {
    const line = await check.read('A=1 B="x y" npm test > out.txt 2>&1 < in')
    expect(line.commands[0]?.assignments.map(({ raw }) => raw)).toEqual(['A=1', 'B="x y"'])
    expect(line.commands[0]?.words.map(({ raw }) => raw)).toEqual(['npm', 'test'])
    expect(line.redirects.map(({ operator, target }) => [operator, target?.raw])).toEqual([
      ['>', 'out.txt'],
      ['>&', '1'],
      ['<', 'in'],
    ])
  })

  it('keep their places in the text', async () => {
    const source = "cat <<EOF | grep '日本'\nx\nEOF\nls 𠮷"
    for (const command of (await check.read(source)).commands) {
      for (const word of command.words) expect(source.slice(word.from, word.to)).toBe(word.raw)
    }
    expect(await words(source)).toEqual([['cat'], ['grep', '日本'], ['ls', '𠮷']])
  })

  it('tell a broken line from one that is only not simple, and from nothing', async () => {
    const kind = async (source: string) => (await check.read(source)).kind
    expect(await kind('ls -la')).toBe('plain')
    expect(await kind('echo $(ls)')).toBe('complex')
    expect(await kind("ls 'open")).toBe('broken')
    expect(await kind(' \n ')).toBe('empty')
    expect(await kind(`ls ${'a '.repeat(10_000)}`)).toBe('broken')
  })
})

describe('a word', () => {
  const hazards = (raw: string) => readWord(raw, 0, raw.length).hazards

  it.each([
    ['$A', ['variable']],
    ['"${A:-x}$B"', ['variable', 'variable']],
    ['${!A}', ['indirect']],
    ['${A:=x}', ['assigns']],
    ['a*', ['glob']],
    ['[a-z]', ['glob']],
    ['~/x', ['home']],
    ['A=~/x', ['home']],
    ['{a,b}', ['brace']],
    ['a{1..3}', ['brace']],
    ['$(ls)', ['unreadable']],
    ['"`ls`"', ['unreadable']],
    ['a b', ['unreadable']],
  ] as const)('%s is not known: %j', (raw, expected) => {
    expect(hazards(raw)).toEqual(expected)
    expect(readWord(raw, 0, raw.length).value).toBeNull()
  })

  it.each([
    ['HEAD@{1}', 'HEAD@{1}'],
    ['{}', '{}'],
    ['HEAD~2', 'HEAD~2'],
    ["'*'", '*'],
    ['"~"', '~'],
    ['a#b', 'a#b'],
    ['"a$"', 'a$'],
    ['\\$A', '$A'],
    ["''", ''],
  ])('%s is %j', (raw, value) => {
    expect(readWord(raw, 0, raw.length)).toMatchObject({ value, hazards: [] })
  })
})
