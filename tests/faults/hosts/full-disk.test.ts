/** The host on disks that are really full: of the project, and of its own data. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../../src/shared/domain/drafting/run.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { startTestHost } from '../support/host-process.ts'
import { type SmallDisk, smallDisk, whyNoSmallDisk } from '../support/small-disk.ts'
import { openTestWindow, type TestWindow } from '../support/test-window.ts'

const page = `${'長い本文の一行。\n'.repeat(4_000)}`

describe('a project on a full disk', () => {
  it('keeps the file whole and the typing safe, says so, and saves by itself when there is room', async ({
    skip,
  }) => {
    const { disk, root, file, dataDir } = fullProject(skip)
    const host = await startTestHost(dataDir)
    const window = await openTestWindow(host.link, root)
    const document = await window.open('01.txt')
    disk.fill()
    document.type('満ちた。\n')
    expect((await document.heard('save-failed')).error).toEqual({ code: 'file/disk-full', path: file })
    document.type('まだ書ける。\n')
    await document.synced()
    const text = `${page}満ちた。\nまだ書ける。\n`
    expect(document.text()).toBe(text)
    expect(readFileSync(file, 'utf8')).toBe(page)
    // Each attempt writes one and removes it; the next attempt may be under way.
    await eventually(() => expect(temporaryFiles(root)).toEqual([]))

    disk.free()
    await eventually(() => expect(readFileSync(file, 'utf8')).toBe(text))
    await eventually(() => expect(temporaryFiles(root)).toEqual([]))
  })

  it('loses nothing when the host is killed before there is room', async ({ skip }) => {
    const { disk, root, file, dataDir } = fullProject(skip)
    const first = await startTestHost(dataDir)
    const window = await openTestWindow(first.link, root)
    const document = await window.open('01.txt')
    disk.fill()
    document.type('満ちた。\n')
    await document.heard('save-failed')
    await first.kill()

    const second = await startTestHost(dataDir)
    const later = await openTestWindow(second.link, root)
    const again = await later.open('01.txt')
    const { snapshot } = await again.heard('snapshot')
    expect(snapshot.text).toBe(`${page}満ちた。\n`)
    expect(snapshot.recovered).toEqual({ at: expect.any(Number) })
    expect((await again.heard('save-failed')).error).toEqual({ code: 'file/disk-full', path: file })
    expect(readFileSync(file, 'utf8')).toBe(page)

    disk.free()
    await later.client['document.save']({ documentId: again.documentId() })
    expect(readFileSync(file, 'utf8')).toBe(`${page}満ちた。\n`)
  })
})

describe('a data folder on a full disk', () => {
  it('stops neither the writing, nor the saving, nor the model', async ({ skip }) => {
    const reason = whyNoSmallDisk()
    if (reason !== undefined) skip(reason)
    const disk = smallDisk(8 * 1024 * 1024)
    const root = tempFolder()
    writeFileSync(join(root, '01.txt'), '窓を開けると')
    writeFileSync(join(root, '02.txt'), '二枚目。\n')
    const kobold = await startFakeKobold({ tokenMs: 10, contextTokens: 4096 })
    onTestFinished(() => kobold.close())
    const host = await startTestHost(disk.folder)
    const window = await openTestWindow(host.link, root)
    const { client, workId } = window
    await client['model.use']({ backend: 'koboldcpp', address: kobold.address })
    await client['settings.update']({ patch: { drafting: { outputTokensGenerate: 150 } } })
    const document = await window.open('01.txt')

    disk.fill()
    for (let page = 1; page <= 20; page++) document.type('猫が鳴いた。'.repeat(500))
    await document.synced()
    await client['document.save']({ documentId: document.documentId() })
    expect(readFileSync(join(root, '01.txt'), 'utf8')).toBe(document.text())
    const other = await window.open('02.txt')
    other.type('三行目。\n')
    await other.synced()
    await client['document.save']({ documentId: other.documentId() })
    expect(readFileSync(join(root, '02.txt'), 'utf8')).toBe('二枚目。\n三行目。\n')

    const full = await draft(window, '02.txt')
    expect(full.text.length).toBeGreaterThan(100)
    expect(full.end).toMatchObject({ state: 'failed', error: { code: 'file/disk-full' } })

    disk.free()
    const next = await draft(window, '02.txt')
    expect(next.end).toMatchObject({ state: 'finished', error: null })
    const { takes } = await client['take.list']({ workId })
    expect(takes.map(({ text }) => text)).toEqual([next.text])
    expect(host.process.exitCode).toBeNull()
  })
})

/** Runs a draft to its end; returns what its window saw. */
async function draft({ client, workId }: TestWindow, path: string) {
  const { run } = await client['draft.start']({ workId, path })
  let text = ''
  let end: RunEvent | undefined
  for await (const event of client['run.watch']({ runId: run.runId })) {
    if (event.type === 'snapshot') text = event.run.text
    if (event.type === 'text') text += event.text
    if (event.type === 'replace') text = event.text
    end = event
  }
  return { text, end }
}

function fullProject(skip: (note: string) => void): {
  disk: SmallDisk
  root: string
  file: string
  dataDir: string
} {
  const reason = whyNoSmallDisk()
  if (reason !== undefined) skip(reason)
  const disk = smallDisk(1024 * 1024)
  const file = join(disk.folder, '01.txt')
  writeFileSync(file, page)
  return { disk, root: disk.folder, file, dataDir: tempFolder() }
}

function temporaryFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.tmp'))
}
