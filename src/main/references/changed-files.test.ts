import { expect, it } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { ReadLedger } from '../tools/edits/read-ledger.ts'
import { createChangedFiles } from './changed-files.ts'

const lines = { from: 1, to: 9 }

/** A folder of files by their contents; `readPaths` are those that were read, in order. */
function folder(files: Record<string, string>) {
  const readPaths: string[] = []
  const content = (path: string): string => {
    const text = files[path]
    if (text === undefined) throw new AppError({ code: 'file/not-found', path })
    return text
  }
  const operations = {
    stamp: async (path: string) => `stamp ${content(path)}`,
    async read(path: string) {
      readPaths.push(path)
      return { path, bytes: new Uint8Array(), hash: content(path) }
    },
  }
  const ledger = new ReadLedger()
  return { files, readPaths, ledger, find: createChangedFiles({ operations, ledger }) }
}

it('finds a file that is another content than the model has seen or heard of', async () => {
  const { files, ledger, find } = folder({ 'src/app.ts': 'a', 'image.png': 'p' })
  ledger.note('src/app.ts', 'a', lines)
  ledger.heard('image.png', 'p')
  expect(await find()).toEqual([])
  files['src/app.ts'] = 'b'
  delete files['image.png']
  const changed = [
    { path: 'image.png', hash: 'gone' },
    { path: 'src/app.ts', hash: 'b' },
  ]
  expect(await find()).toEqual(changed)
  for (const { path, hash } of changed) ledger.heard(path, hash)
  expect(await find()).toEqual([])
})

it('finds a file that is again what the model saw before it changed the file itself', async () => {
  const { files, ledger, find } = folder({ 'a.md': 'b' })
  ledger.note('a.md', 'a', lines)
  ledger.changed('a.md', 'a', 'b', [])
  expect(await find()).toEqual([])
  files['a.md'] = 'a'
  expect(await find()).toEqual([{ path: 'a.md', hash: 'a' }])
})

it('reads a file only where its stamp is another than at the last look', async () => {
  const { files, readPaths, ledger, find } = folder({ a: '1', b: '1' })
  for (const path of ['a', 'b']) ledger.note(path, '1', lines)
  await find()
  await find()
  expect(readPaths).toEqual(['b', 'a'])
  Object.assign(files, { a: '2' })
  await find()
  expect(readPaths).toEqual(['b', 'a', 'a'])
})
