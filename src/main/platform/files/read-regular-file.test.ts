import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { lstat, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { openRegularFile, readRegularFile } from './read-regular-file.ts'

describe('the one reader of files', () => {
  it('reads a regular file whole, up to its limit', async () => {
    const file = join(tempFolder(), 'a.txt')
    const bytes = Buffer.alloc(3_000_000, '猫')
    writeFileSync(file, bytes)
    expect(await readRegularFile(file, bytes.length)).toEqual(bytes)
    await expect(readRegularFile(file, bytes.length - 1)).rejects.toMatchObject({
      info: { code: 'file/too-large', sizeBytes: bytes.length, limitBytes: bytes.length - 1 },
    })
    writeFileSync(file, '')
    expect((await readRegularFile(file, 10)).length).toBe(0)
  })

  it('opens nothing but a regular file, and never waits', async () => {
    const folder = tempFolder()
    const at = (name: string) => join(folder, name)
    execFileSync('mkfifo', [at('pipe')])
    mkdirSync(at('folder'))
    for (const [name, target] of [
      ['zero', '/dev/zero'],
      ['null', '/dev/null'],
      ['terminal', '/dev/tty'],
      ['to-pipe', 'pipe'],
    ] as const)
      symlinkSync(target, at(name))
    for (const name of ['pipe', 'folder', 'zero', 'null', 'terminal', 'to-pipe'])
      await expect(readRegularFile(at(name), 1000), name).rejects.toMatchObject({
        info: { code: 'file/failed', reason: 'no plain file' },
      })
    symlinkSync('circle', at('circle'))
    await expect(readRegularFile(at('circle'), 1000)).rejects.toMatchObject({ code: 'ELOOP' })
  })

  it('follows no last link where it must not', async () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'a'), 'x')
    symlinkSync('a', join(folder, 'b'))
    expect((await readRegularFile(join(folder, 'b'), 10)).toString()).toBe('x')
    await expect(readRegularFile(join(folder, 'b'), 10, { isLinkRefused: true })).rejects.toThrow(
      'file/failed',
    )
  })

  it('takes no more than its limit of a file that grows, or that claims no size', async () => {
    const file = join(tempFolder(), 'a.txt')
    writeFileSync(file, 'x')
    const { file: opened } = await openRegularFile(file)
    await opened.close()
    const growing = readRegularFile(file, 1_500_000)
    appendFileSync(file, Buffer.alloc(4_000_000))
    // Read before it grew, or refused for what it has become.
    const length = await growing.then(
      (bytes) => bytes.length,
      (error: Error) => error.message,
    )
    expect([1, 'file/too-large']).toContain(length)
    expect((await readRegularFile('/proc/self/status', 100_000)).length).toBeGreaterThan(100)
    await expect(readRegularFile('/proc/self/status', 100)).rejects.toThrow('file/too-large')
    truncateSync(file, 8 * 1024 ** 3)
    await expect(readRegularFile(file, 1000)).rejects.toThrow('file/too-large')
  })

  it('gives up on a file system that does not answer', async () => {
    const file = join(tempFolder(), 'a.txt')
    writeFileSync(file, 'x')
    const never = (() => new Promise(() => undefined)) as unknown as typeof open
    await expect(
      readRegularFile(file, 10, { stallMs: 20, files: { stat, lstat, open: never } }),
    ).rejects.toMatchObject({
      info: { code: 'file/failed', reason: 'no answer' },
    })
  })

  it('takes an answer that came while the process was held up', async () => {
    const file = join(tempFolder(), 'a.txt')
    writeFileSync(file, 'x')
    const heldUp = ((...args: Parameters<typeof stat>) => {
      process.nextTick(() => {
        const endAt = performance.now() + 100
        while (performance.now() < endAt);
      })
      return stat(...args)
    }) as typeof stat
    // From here on, the event loop runs timers before it takes answers.
    await new Promise((resolve) => setImmediate(resolve))
    const text = await readRegularFile(file, 10, { stallMs: 20, files: { stat: heldUp, lstat, open } })
    expect(text.toString()).toBe('x')
  })
})
