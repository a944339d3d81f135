import { describe, expect, it } from 'vitest'
import { projectCommands } from './project-commands.ts'
import { folderTree } from './read-surroundings.ts'

describe('the commands that a folder names', () => {
  it('are scripts of package.json, and what goes with Python, Rust, Go and make', () => {
    const scripts = { test: 'vitest', build: 'tsc', start: 'node .', types: 'tsc' }
    const lines = projectCommands(
      new Map([
        ['package.json', JSON.stringify({ scripts })],
        ['pyproject.toml', '[tool.pytest.ini_options]\n[tool.ruff]\n'],
        ['Cargo.toml', ''],
        ['Makefile', 'test: all\n\tgo\nBUILD := x\nbuild:\n'],
      ]),
    ).map(({ purpose, line }) => `${purpose}: ${line}`)
    expect(lines).toEqual([
      'test: npm test',
      'build: npm run build',
      'lint: npm run types',
      'test: python -m pytest',
      'lint: ruff check',
      'test: cargo test',
      'build: cargo build',
      'test: make test',
      'build: make build',
    ])
  })

  it.each(['', '{', '[]', 'null', '{"scripts": 3}', '{"scripts": null}'])('are none in %j', (text) => {
    expect(projectCommands(new Map([['package.json', text]]))).toEqual([])
  })
})

describe('the tree of a folder', () => {
  const more = (count: number): string => `… ${count}`

  it('has two levels', () => {
    expect(folderTree(['a.txt', 'src/b.ts', 'src/deep/c.ts', 'src/deep/d/e.ts'], more)).toBe(
      'src/\n  b.ts\n  deep/\na.txt',
    )
    expect(folderTree([], more)).toBe('')
  })

  it('has at most a hundred lines, and says how many more there are', () => {
    const paths = Array.from({ length: 150 }, (_, at) => `f${at}`)
    const lines = folderTree(paths, more).split('\n')
    expect(lines).toHaveLength(100)
    expect(lines.at(-1)).toBe('… 51')
  })
})
