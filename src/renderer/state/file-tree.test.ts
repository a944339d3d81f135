import { describe, expect, it } from 'vitest'
import { fileTree, type TreeEntry } from './file-tree.ts'

const shown = (entries: readonly TreeEntry[], depth = 0): string[] =>
  entries.flatMap(({ name, below }) => [
    `${'  '.repeat(depth)}${name}${below === null ? '' : '/'}`,
    ...shown(below ?? [], depth + 1),
  ])

describe('the files of a project', () => {
  it('are a tree: folders first, numbers by their value', () => {
    const paths = ['README.md', 'src/b10.ts', 'src/b9.ts', 'src/lib/a.ts', 'package.json', 'docs/1.md']
    expect(shown(fileTree(paths, 'en'))).toEqual([
      'docs/',
      '  1.md',
      'src/',
      '  lib/',
      '    a.ts',
      '  b9.ts',
      '  b10.ts',
      'package.json',
      'README.md',
    ])
  })
})
