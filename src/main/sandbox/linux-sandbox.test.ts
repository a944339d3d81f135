import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { realSandbox, sandboxedProject, sandboxHere } from '../../../tests/fakes/rigs/real-sandbox.ts'
import { namesInMerged } from './changes/read-upper.ts'
import { trialScript } from './probe-script.ts'
import { hasLimitOfSpace, searchPathOf } from './programs.ts'

const here = await sandboxHere()

describe('without what builds the wall', () => {
  it.skipIf(process.platform !== 'linux' || existsSync('/usr/bin/bwrap'))('names bubblewrap', async () => {
    expect(await realSandbox(tempFolder()).status()).toMatchObject({ kind: 'none', part: 'program' })
  })
})

it('limits no processes by the process namespace where the kernel has one limit for the whole machine', () => {
  expect(['5.15.0', '6.13.9', '6.14.0-generic', '7.0.1'].map(hasLimitOfSpace)).toEqual([
    false,
    false,
    true,
    true,
  ])
})

describe.skipIf(here.kind === 'none')('sandbox', () => {
  it('passes its trial, and keeps the answer', async () => {
    const sandbox = realSandbox(tempFolder())
    expect(await sandbox.status()).toMatchObject({ kind: 'ready' })
    expect(await sandbox.kept()).toEqual([])
  })

  it('has the trial repeated where the kept answer is of another wall', async () => {
    const kept: { key: string | null } = { key: null }
    await realSandbox(tempFolder(), { kept }).status()
    const ofThisWall = kept.key ?? ''
    expect(ofThisWall.split(' ')).toHaveLength(4)
    kept.key = ofThisWall.replace(/\S+$/, 'another')
    const dataDir = tempFolder()
    await realSandbox(dataDir, { kept }).status()
    expect(kept.key).toBe(ofThisWall)
    // A trial leaves copies of /etc; using a stored answer leaves nothing.
    expect(existsSync(join(dataDir, 'sandbox'))).toBe(true)
    const untouched = tempFolder()
    await realSandbox(untouched, { kept }).status()
    expect(existsSync(join(untouched, 'sandbox'))).toBe(false)
  })

  it('has a trial that shows everything where there is no wall', async () => {
    const folder = tempFolder()
    for (const name of ['text', '.env', 'key']) writeFileSync(join(folder, name), 'planted')
    const listening = async (place: { path: string } | { host: string; port: number }) => {
      const server = createServer((socket) => socket.destroy()).listen(place)
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      return server.address()
    }
    await listening({ path: join(folder, 's') })
    const { port } = (await listening({ host: '127.0.0.1', port: 0 })) as AddressInfo
    const targets = {
      inside: join(folder, 'text'),
      outside: [join(folder, 'written')],
      secrets: [join(folder, 'key')],
      ports: [['127.0.0.1', port]],
      sockets: [join(folder, 's')],
    }
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', trialScript], {
      env: { PATH: process.env.PATH, TRIAL: JSON.stringify(targets) },
    })
    expect(JSON.parse(stdout.trim())).toMatchObject({
      wroteInside: true,
      readSecret: true,
      unmounted: true,
      reached: true,
      connected: true,
    })
    expect(existsSync(join(folder, 'written'))).toBe(true)
  })

  it('runs no program of the project to make the copy, where the search path leads into the project', async () => {
    const { project, dataDir, sandbox } = await sandboxedProject({ 'a.txt': 'old' })
    const bin = join(project, 'bin')
    const planted = join(dataDir, 'planted')
    mkdirSync(bin)
    for (const name of ['mount', 'xargs', 'cp', 'sh', 'find'])
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>${planted}\n`, { mode: 0o755 })
    const runId = 'b'.repeat(32)
    const environment = { PATH: `${bin}:${process.env.PATH}` }
    const over = { files: [], folders: ['laid'], gone: ['a.txt'] }
    const request = {
      runId,
      project,
      cwd: project,
      masked: [],
      added: [],
      environment,
      limitBytes: 1e6,
      over,
    }
    const { wall, merged } = await sandbox.begin(request)
    onTestFinished(() => sandbox.remove(runId))
    const args = [...wall.args, 'sh', '-c', 'PATH=/usr/bin:/bin; ls']
    const { stdout } = spawnSync(wall.program, args, { env: environment, encoding: 'utf8' })
    expect(existsSync(planted)).toBe(false)
    // The command itself has its own search path: its `sh` is the planted one, which reaches nothing outside.
    expect(stdout).toBe('')
    expect([...(await namesInMerged(merged, ['bin'])).values()].map(({ size }) => size)).toEqual([5])
    expect(existsSync(planted)).toBe(false)
  })

  it('hides a folder that the command could open in its copy', async () => {
    const { project, sandbox } = await sandboxedProject({ 'closed/notes': 'hidden' })
    const runId = 'c'.repeat(32)
    const environment = { PATH: process.env.PATH ?? '' }
    const masks = { masked: [], maskedFolders: ['closed'], added: [] }
    const request = { runId, project, cwd: project, environment, limitBytes: 1e6, ...masks }
    const { wall } = await sandbox.begin(request)
    onTestFinished(() => sandbox.remove(runId))
    const line = 'chmod 700 closed; cat closed/notes; echo x >closed/new; ls -A closed'
    const ended = spawnSync(wall.program, [...wall.args, 'sh', '-c', line], {
      env: environment,
      encoding: 'utf8',
    })
    expect(ended.stdout).toBe('')
    expect(ended.stderr).toContain('Read-only file system')
  })

  it('finds the programs that list the copy where the host finds them', async () => {
    const dataDir = tempFolder()
    const elsewhere = tempFolder()
    expect((await searchPathOf(`${elsewhere}:relative:${dataDir}/gone`, dataDir)).split(':')).toContain(
      elsewhere,
    )
    expect(await searchPathOf(`${dataDir}/bin:${elsewhere}`, dataDir)).not.toContain(dataDir)
    expect(await searchPathOf('relative', dataDir)).not.toContain('relative')
  })

  it('lets a command see and change the project in a copy', async () => {
    const { project, run } = await sandboxedProject({ 'a.txt': 'old', '.git/config': '[core]' })
    const { code, output } = await run('cat a.txt; echo new > a.txt; cat a.txt; pwd; echo x > .git/config')
    expect(output).toContain(`oldnew\n${project}`)
    expect(output).toMatch(/\.git\/config: Read-only/)
    expect(code).toBe(1)
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('old')
  })

  it('hides secrets, the home folder and the folders of others', async () => {
    const { project, run } = await sandboxedProject({ '.env': 'KEY=planted', 'x/y/.env': 'planted' })
    const line =
      'cat .env x/y/.env; rm -f .env; mv x z; cat z/y/.env; chmod 644 .env; ln .env b; ls -A ~ /home /run /tmp /var'
    const { output } = await run(line, { masked: ['.env', 'x/y/.env'] })
    expect(output).not.toContain('planted')
    expect(readFileSync(join(project, '.env'), 'utf8')).toBe('KEY=planted')
    expect((await run('echo $HOME; ls -A ~')).output).not.toMatch(/ssh|bash_history/)
  })

  it('shows a folder that was added although it lies in a private one, such as /tmp', async () => {
    const { project, sandbox } = await sandboxedProject()
    const added = tempFolder()
    writeFileSync(join(added, 'notes'), 'text of an added folder')
    const environment = { PATH: '/usr/bin:/bin' }
    const run = { runId: 'd'.repeat(32), project, cwd: project, masked: [], environment, limitBytes: 1e6 }
    const { wall } = await sandbox.begin({ ...run, added: [added] })
    const { stdout } = spawnSync(wall.program, [...wall.args, 'sh', '-c', `cat ${added}/notes; ls -A /tmp`], {
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/^text of an added folder/)
    const others = stdout.slice('text of an added folder'.length).trim().split('\n')
    expect(others).toHaveLength(new Set([added, project].map((path) => path.split('/')[2])).size)
    await sandbox.remove(run.runId)
  })

  it('shows what programs need of /etc as it is now, and nothing else of it', async () => {
    const { run } = await sandboxedProject()
    const { output } = await run(
      'cat /etc/passwd; ls /etc/ssl/certs | wc -l; cat /etc/shadow; touch /etc/x /etc/passwd',
    )
    expect(output).toContain(readFileSync('/etc/passwd', 'utf8'))
    expect(output).toMatch(/shadow: No such file/)
    expect(output.match(/Read-only/g)).toHaveLength(2)
  })

  it('keeps a private home for the project', async () => {
    const { run } = await sandboxedProject()
    await run('echo cached > ~/.cache-of-a-tool')
    expect((await run('cat ~/.cache-of-a-tool')).output).toBe('cached\n')
  })

  it('lets package managers write where a variable leads out of what the command can use', async () => {
    const { project, sandbox } = await sandboxedProject()
    const home = homedir()
    const plain = { PATH: '/usr/bin:/bin', HOME: home }
    const beginWith = (environment: Record<string, string>, runId: string) => {
      onTestFinished(() => sandbox.remove(runId))
      const request = { runId, project, cwd: project, masked: [], added: [], limitBytes: 1e6 }
      return sandbox.begin({ ...request, environment: { ...plain, ...environment } })
    }
    const outside = {
      XDG_CACHE_HOME: '/opt/cache',
      PIP_CACHE_DIR: '/usr/share/pip',
      GOCACHE: 'relative',
      GOMODCACHE: '/opt/mod',
      GOPATH: `/opt/go:${home}/go`,
      CARGO_HOME: '/opt/cargo',
    }
    const { wall, environment } = await beginWith(outside, '1'.repeat(32))
    const line = `set -e
mkdir -p "\${XDG_CACHE_HOME:-$HOME/.cache}" "\${PIP_CACHE_DIR:-$HOME/.cache/pip}" "\${GOCACHE:-$HOME/.cache/go-build}"
gopath=\${GOPATH:-$HOME/go}
mkdir -p "\${gopath%%:*}/bin" "\${GOMODCACHE:-$HOME/go/pkg/mod}" "\${CARGO_HOME:-$HOME/.cargo}/registry"
echo written`
    const args = [...wall.args, 'sh', '-c', line]
    const { stdout, stderr } = spawnSync(wall.program, args, { env: environment, encoding: 'utf8' })
    expect(stdout + stderr).toBe('written\n')
    // Packages in a place that can be read are of use also where nothing can be written.
    const inside = {
      XDG_CACHE_HOME: join(home, '.cache'),
      GOCACHE: join(project, '.go-build'),
      GOPATH: `${home}/go:/opt/go`,
      CARGO_HOME: '/usr/local/cargo',
    }
    expect((await beginWith(inside, '2'.repeat(32))).environment).toEqual({ ...plain, ...inside })
  })

  it('mounts folders of any name', async () => {
    const { project, sandbox } = await sandboxedProject({ 'a:b,c\\d/f': 'text' })
    const odd = join(project, 'a:b,c\\d')
    const runId = 'e'.repeat(32)
    const begun = await sandbox.begin({
      runId,
      project: odd,
      cwd: odd,
      masked: [],
      added: [],
      environment: { PATH: '/usr/bin:/bin' },
      limitBytes: 1e6,
    })
    const { program, args } = begun.wall
    const { stdout, stderr } = spawnSync(program, [...args, 'sh', '-c', 'cat f; echo n > g'], {
      encoding: 'utf8',
    })
    expect(stdout + stderr).toBe('text')
    expect(readFileSync(join(begun.folder, 'upper', 'g'), 'utf8')).toBe('n\n')
    await sandbox.remove(runId)
    expect(await sandbox.kept()).toEqual([])
  })

  it('ends what a command left running', async () => {
    const { run } = await sandboxedProject()
    const mark = `73${process.pid}`
    await run(`sleep ${mark} & setsid sleep ${mark} & echo started`)
    expect(spawnSync('pgrep', ['-f', `sleep ${mark}`], { encoding: 'utf8' }).stdout).toBe('')
  })

  it('limits the size of a file and the number of processes', async () => {
    const { run } = await sandboxedProject()
    const written = await run('head -c 100000000 /dev/zero > big; ls -l big | cut -d" " -f5')
    expect(Number(/\d{8}/.exec(written.output)?.[0])).toBeLessThanOrEqual(64 * 1024 ** 2)
    const bomb = "sh -c 'for i in $(seq 600); do sleep 1 & done; echo all'"
    expect((await run(bomb, { limitProcesses: 400 })).output).toMatch(/[Cc]annot fork/)
  })
})
