import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { eventually } from '../../../../tests/fakes/eventually.ts'
import { type HandOver, lockDataFolder } from './data-folder-lock.ts'

function host(dataDir: string, hostId: string, paths: string[] = [], timeoutMs = 5_000) {
  const received: HandOver[] = []
  const lock = lockDataFolder({
    dataDir,
    hostId,
    request: { paths },
    onHandOver: (request) => received.push(request),
    timeoutMs,
  })
  return { received, lock }
}

describe('one host per data folder', () => {
  it('hands a second start over to the first, and frees the folder at its end', async () => {
    const dataDir = tempFolder()
    const first = host(dataDir, 'one')
    const owner = await first.lock
    if (owner.kind !== 'owner') throw new Error('the first host must own the folder')
    const second = host(dataDir, 'two', ['/works/猫'])
    const address = 'http://127.0.0.1:4000/'
    let asked = 0
    setTimeout(() => owner.announce(address, () => `${address}#once-${++asked}`), 50)
    expect(await second.lock).toEqual({
      kind: 'handed-over',
      address,
      browserAddress: `${address}#once-1`,
    })
    expect(first.received).toEqual([{ paths: ['/works/猫'] }])
    await owner.release()
    expect(existsSync(join(dataDir, 'host.sock'))).toBe(false)
    const third = await host(dataDir, 'three').lock
    expect(third.kind).toBe('owner')
    if (third.kind === 'owner') await third.release()
  })

  it('lets exactly one of two that start at once own it', async () => {
    const dataDir = tempFolder()
    const locks = ['one', 'two'].map((id) => host(dataDir, id).lock)
    const owner = await Promise.race(locks)
    if (owner.kind === 'owner') owner.announce('address')
    const kinds = (await Promise.all(locks)).map((lock) => lock.kind)
    expect(kinds.sort()).toEqual(['handed-over', 'owner'])
    if (owner.kind === 'owner') await owner.release()
  })

  it('takes the folder of a host that was killed, stale socket and all', async () => {
    const dataDir = tempFolder()
    await killedHost(dataDir)
    expect(existsSync(join(dataDir, 'host.sock'))).toBe(true)
    const lock = await host(dataDir, 'next').lock
    expect(lock.kind).toBe('owner')
    if (lock.kind === 'owner') await lock.release()
  })

  it('says that the folder is in use where its owner does not answer', async () => {
    const dataDir = tempFolder()
    const owner = await host(dataDir, 'one').lock
    const second = host(dataDir, 'two', [], 300).lock
    await expect(second).rejects.toThrow('host/in-use')
    if (owner.kind === 'owner') await owner.release()
  })

  it.each([
    ['lock', ['host.lock']],
    ['lock, note and socket', ['host.lock', 'host.json', 'host.sock']],
  ])('has no second host when its %s is removed', async (_what, names) => {
    const dataDir = tempFolder()
    const first = lockDataFolder({
      dataDir,
      hostId: 'one',
      request: { paths: [] },
      onHandOver: () => undefined,
      checkMs: 20,
    })
    const owner = await first
    if (owner.kind !== 'owner') throw new Error('the first host must own the folder')
    owner.announce('here')
    for (const name of names) rmSync(join(dataDir, name))
    // With the note it is found at once; without, as soon as the owner has looked.
    if (names.length > 1) await eventually(() => expect(existsSync(join(dataDir, 'host.lock'))).toBe(true))
    const second = host(dataDir, 'two', [], 300).lock
    if (names.length > 1) await expect(second).rejects.toThrow('host/in-use')
    else expect(await second).toMatchObject({ kind: 'handed-over', address: 'here' })
    await owner.release()
    const third = await host(dataDir, 'three').lock
    expect(third.kind).toBe('owner')
    if (third.kind === 'owner') await third.release()
  })

  it.each([
    ['a folder as its lock', 'host.lock', (path: string) => mkdirSync(path)],
    ['anything else as its lock', 'host.lock', (path: string) => writeFileSync(path, 'x'.repeat(5_000))],
    ['a folder as its note', 'host.json', (path: string) => mkdirSync(path)],
    ['a folder as its socket', 'host.sock', (path: string) => mkdirSync(path)],
  ])('says what is wrong with %s, and lets go of what it has', async (_what, name, spoil) => {
    const dataDir = tempFolder()
    const path = join(dataDir, name)
    spoil(path)
    await expect(host(dataDir, 'one').lock).rejects.toMatchObject({
      info: { code: 'host/bad-data-folder', path },
    })
    rmSync(path, { recursive: true })
    const lock = await host(dataDir, 'two').lock
    expect(lock.kind).toBe('owner')
    if (lock.kind === 'owner') await lock.release()
  })

  it('works under a path too long for a socket, beside a broken note, and after a host that was killed there', async () => {
    const dataDir = join(tempFolder(), 'x'.repeat(100))
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'host.json'), '{')
    await killedHost(dataDir)
    const left = dirname(JSON.parse(readFileSync(join(dataDir, 'host.json'), 'utf8')).socket)
    expect(existsSync(left)).toBe(true)
    const owner = await host(dataDir, 'e'.repeat(32)).lock
    expect(existsSync(left)).toBe(false)
    if (owner.kind === 'owner') owner.announce('here')
    expect(await host(dataDir, 'two').lock).toMatchObject({ address: 'here', browserAddress: 'here' })
    if (owner.kind === 'owner') await owner.release()
  })
})

/** A host that took the folder and was killed. */
async function killedHost(dataDir: string): Promise<void> {
  const module = JSON.stringify(join(import.meta.dirname, 'data-folder-lock.ts'))
  const options = `dataDir: ${JSON.stringify(dataDir)}, hostId: '${'d'.repeat(32)}', request: { paths: [] }`
  const script = `import { lockDataFolder } from ${module}
    await lockDataFolder({ ${options}, onHandOver() {} })
    process.stdout.write('locked')`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
}
