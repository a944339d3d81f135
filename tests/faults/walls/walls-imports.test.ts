/** Imports in the built host: foreign files are read by a thread's program in the bundle, too. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { cardPng, cardV2 } from '../../fakes/lorebooks.ts'
import { startTestHost } from '../support/host-process.ts'
import { openTestWindow } from '../support/test-window.ts'

it('reads files of others in threads, and answers meanwhile', async () => {
  const home = tempFolder()
  const root = join(home, 'work')
  mkdirSync(root)
  const put = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(join(home, name), bytes)
    return join(home, name)
  }
  const host = await startTestHost(tempFolder())
  const { client, workId } = await openTestWindow(host.link, root)
  const imported = (file: string) => client['work.importText']({ workId, file })
  expect(await imported(put('a.zip', zipSync({ '雨.txt': strToU8('雨。') })))).toEqual({
    paths: ['001 雨.txt'],
  })
  expect(readFileSync(join(root, '001 雨.txt'), 'utf8')).toBe('雨。\n')
  const lorebook = await client['lore.planImport']({ workId, file: put('a.png', cardPng({ chara: cardV2 })) })
  expect(lorebook).toMatchObject({ format: 'card-v2' })
  await expect(imported(put('none.docx', 'no archive'))).rejects.toThrow('work/bad-import')

  let isOver = false
  const hostile = imported(put('b.txt', `［＃a］${'［＃傍点］'.repeat(100_000)}`))
  // The host is ended before it has an answer.
  hostile.catch(() => undefined).finally(() => (isOver = true))
  for (let asked = 0; asked < 5; asked++) await client['host.info']({})
  expect(isOver).toBe(false)
})
