import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { silentLog } from '../../../../tests/fakes/silent-log.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { createLoginEnvironment, variablesBetween } from './login-environment.ts'

const rules = { appDir: '/opt/tsugi', isSecret: (name: string) => name === 'MY_SECRET' }

function ask(own: Record<string, string>, timeoutMs = 5000) {
  return createLoginEnvironment({
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    rules,
    own: { PATH: '/usr/bin:/bin', ...own },
    timeoutMs,
  })
}

/** Creates a shell with a known name that runs our script. */
function shellThat(script: string): string {
  const path = join(tempFolder(), 'zsh')
  writeFileSync(path, `#!/bin/bash\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

describe.skipIf(!existsSync('/bin/bash'))('the login environment', () => {
  it('is what the user’s start files make of it, whatever they print', async () => {
    const home = tempFolder()
    writeFileSync(
      join(home, '.bash_profile'),
      'echo welcome; export FROM_PROFILE="a=b\nc" MY_SECRET=x PATH="/my/bin:$PATH" NODE_OPTIONS=--mine\n. ~/.bashrc',
    )
    writeFileSync(join(home, '.bashrc'), 'export FROM_RC=$-; echo bye')
    const { variables, source } = await ask({
      HOME: home,
      SHELL: '/bin/bash',
      npm_config_x: 'x',
      NODE_OPTIONS: '--ours',
    })()
    expect(source).toBe('login')
    expect(variables).toMatchObject({ FROM_PROFILE: 'a=b\nc', HOME: home, NODE_OPTIONS: '--mine' })
    expect(variables.FROM_RC).toContain('i')
    expect(variables.PATH).toMatch(/^\/my\/bin:/)
    for (const name of ['MY_SECRET', 'npm_config_x', 'SHLVL', 'PWD', '_']) {
      expect(variables).not.toHaveProperty(name)
    }
  })

  it('is asked once', async () => {
    const home = tempFolder()
    writeFileSync(join(home, '.bash_profile'), 'echo x >> ~/asked')
    const environment = ask({ HOME: home, SHELL: '/bin/bash' })
    const [first, second] = await Promise.all([environment(), environment()])
    expect(first).toBe(second)
    expect(readFileSync(join(home, 'asked'), 'utf8')).toBe('x\n')
  })

  it('does not wait for what a start file leaves running', async () => {
    const home = tempFolder()
    const note = join(home, 'left')
    writeFileSync(join(home, '.bash_profile'), `sleep 60 & echo $! > ${note}; export A=b`)
    const { variables } = await ask({ HOME: home, SHELL: '/bin/bash' }, 20_000)()
    expect(variables.A).toBe('b')
    process.kill(Number(readFileSync(note, 'utf8')))
  })

  it.each([
    ['that hangs and ignores the request to end', "trap '' TERM; sleep 60"],
    ['that fails', 'exit 3'],
    ['that prints without end', 'yes'],
    ['that prints only one mark', 'echo env-'],
  ])('is our own, cleaned, with a shell %s', async (_name, script) => {
    const own = { SHELL: shellThat(script), MY_SECRET: 'x', ELECTRON_X: 'y', LANG: 'C' }
    const { variables, source } = await ask(own, 300)()
    expect(source).toBe('process')
    expect(variables).toEqual({ PATH: '/usr/bin:/bin', SHELL: own.SHELL, LANG: 'C' })
  })

  it.each([
    [{}],
    [{ SHELL: '/usr/bin/nu' }],
    [{ SHELL: '/nowhere/bash' }],
    [{ SHELL: '/bin/bash', HOME: '/nowhere' }],
  ])('is our own with %j', async (own) => {
    const { source } = await ask(own)()
    expect(source).toBe('process')
  })

  it('reads what stands between the marks', () => {
    expect(variablesBetween('x\0mA=1\0B=\n2\0=odd\0bare\0my', 'm')).toEqual({ A: '1', B: '\n2' })
    expect(() => variablesBetween('mA=1\0', 'm')).toThrow('no environment')
    expect(() => variablesBetween('mm', 'm')).toThrow('empty')
  })
})
