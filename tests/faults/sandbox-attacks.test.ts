import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sandboxedProject, sandboxHere } from '../fakes/real-sandbox.ts'
import { tempFolder } from '../fakes/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })
const here = await sandboxHere()
const lines = process.env.TSUGI_SOAK ? 3_000 : 300
/** Lines that one sandboxed shell runs, each in a shell of its own. */
const together = 50

/** What a command may try, on a place outside. */
const attempts = [
  (at: string) => `echo x > ${at}/planted`,
  (at: string) => `rm -rf ${at}/kept`,
  (at: string) => `mv ${at}/kept ${at}/moved`,
  (at: string) => `chmod 777 ${at}`,
  (at: string) => `ln -s ${at}/kept l$RANDOM && echo x > l*`,
  (at: string) => `mkdir -p ${at}/new/deep`,
  (at: string) => `cp /bin/sh ${at}/sh && chmod u+s ${at}/sh`,
  (at: string) => `cat ${at}/kept`,
  (at: string) => `mount --bind . ${at}`,
  (at: string) => `unshare -Ur sh -c "mount --bind . ${at}"`,
  (at: string) => `umount -l ${at}; umount -l .env; cat .env`,
  (at: string) => `cd ${at} && touch here`,
  (at: string) => `tar cf - . | tar xf - -C ${at}`,
  (at: string) => `python3 -c "open('${at}/py','w').write('x')"`,
  (at: string) => `dd if=/dev/zero of=${at}/zero bs=1 count=1`,
  (at: string) => `echo x | tee ${at}/tee`,
  (at: string) => `echo x > /proc/1/root${at}/proc`,
  (at: string) => `nsenter -t 1 -m sh -c "touch ${at}/ns"`,
]

/** The same tries for every seed: a series of its own each, which repeats. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    yield state
  }
}

describe.skipIf(here.kind === 'none')('commands behind the wall', () => {
  it(`${lines} hostile lines change nothing outside, read no secret, reach no listener and see no process`, async () => {
    const outside = tempFolder()
    writeFileSync(join(outside, 'kept'), 'SECRET of the outside\n')
    const mode = statSync(outside).mode
    const { project, run } = await sandboxedProject({ '.env': 'SECRET of the project\n', 'a.txt': 'a\n' })
    let reached = 0
    const server = createServer((socket) => {
      reached += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const planted = join(homedir(), `.tsugi-planted-${process.pid}`)
    const more = [
      `exec 3<>/dev/tcp/127.0.0.1/${port}`,
      `python3 -c "import socket; socket.create_connection(('127.0.0.1', ${port}), 1)"`,
      'cat .env; head -c 100 ./.env; cp .env copy && cat copy',
      `touch ${planted}`,
      `kill -9 ${process.pid}; kill -9 -${process.pid}`,
      `ls -d /proc/${process.pid} && echo SEEN ${process.pid}`,
      'echo "* -text" > .git/info/attributes; git config core.hooksPath /',
    ]
    const next = numbers(7)
    const one = (): string => {
      const at = next.next().value % (attempts.length + more.length)
      return attempts[at]?.(outside) ?? more[at - attempts.length] ?? 'true'
    }
    mkdirSync(join(project, '.git', 'info'), { recursive: true })
    for (let done = 0; done < lines; done += together) {
      const some = Array.from({ length: Math.min(together, lines - done) }, one)
      const line = some
        .map((each) => `( timeout 3 sh -c '${each.replaceAll("'", `'\\''`)}' ) 2>&1`)
        .join('; ')
      const { output } = await run(`${line}; echo ALL RAN`, { masked: ['.env'], timeoutMs: 60_000 })
      expect(output).toContain('ALL RAN')
      expect(output).not.toContain('SECRET')
      expect(output).not.toContain(`SEEN ${process.pid}`)
    }
    expect(reached).toBe(0)
    expect(readdirSync(outside)).toEqual(['kept'])
    expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('SECRET of the outside\n')
    expect(statSync(outside).mode).toBe(mode)
    expect(existsSync(planted)).toBe(false)
    expect(readdirSync(project).sort()).toEqual(['.env', '.git', 'a.txt'])
    expect(readdirSync(join(project, '.git', 'info'))).toEqual([])
  })
})
