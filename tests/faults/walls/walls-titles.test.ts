/** Titles of sixty megabytes from every source of titles: refused or left out, and the host goes on. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contract } from '../../../src/shared/contract/index.ts'
import { connect } from '../../../src/shared/rpc/connect.ts'
import { openHostPort } from '../../e2e/support/host-client.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { startTestHost } from '../support/host-process.ts'

const size = 60_000_000
/** Length of a title that fits into a message to the host. */
const message = 10_000_000

it('a title of sixty megabytes ends no host, and stands in no file', async () => {
  const [dataDir, root, hostile] = [tempFolder(), tempFolder(), tempFolder()]
  writeFileSync(join(root, '01.txt'), '本文\n')
  writeFileSync(join(hostile, '01.txt'), '本文\n')
  writeFileSync(join(hostile, 'work.json'), JSON.stringify({ version: 1, title: 'x'.repeat(size) }))
  const host = await startTestHost(dataDir)
  const open = async () => connect(await openHostPort(host.link), contract)

  const client = await open()
  const { workId } = await client['work.open']({ path: root })
  const update = (title: string) => client['work.updateDetails']({ workId, patch: { title } })
  await expect(update('x'.repeat(message))).rejects.toMatchObject({ info: { code: 'rpc/bad-input' } })
  // Larger than any message may be: the connection is closed, and nothing else is.
  await expect(update('x'.repeat(size))).rejects.toMatchObject({ info: { code: 'rpc/closed' } })

  const next = await open()
  const opened = await next['work.open']({ path: root })
  expect(opened.details.title).toBe('')
  expect(readdirSync(root)).toEqual(['01.txt'])
  const other = await next['work.open']({ path: hostile })
  expect(other).toMatchObject({ workFileProblem: expect.stringMatching(/./), details: { title: '' } })
  expect(JSON.stringify(other).length).toBeLessThan(100_000)
  expect(readFileSync(join(hostile, 'work.json')).length).toBeGreaterThan(size)

  const { session } = await next['session.create']({ workId: opened.workId })
  const { sessionId } = session
  const rename = next['session.rename']({ sessionId, title: 'x'.repeat(message) })
  await expect(rename).rejects.toMatchObject({ info: { code: 'rpc/bad-input' } })
  await next['session.rename']({ sessionId, title: '題' })
  await host.stop()
  expect(host.process.exitCode).toBe(0)
})
