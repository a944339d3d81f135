import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createShellCheck } from './create-shell-check.ts'
import { isRefusal } from './programs/read-options.ts'
import { readGitConfiguration } from './read-only-run.ts'

const check = await createShellCheck(fileURLToPath(new URL('../../../../resources/', import.meta.url)))

async function isReadOnly(source: string, listed: string): Promise<boolean> {
  return !isRefusal(check.readOnly(await check.read(source), readGitConfiguration(listed)))
}

describe('git’s configuration', () => {
  it('is read with values of several lines, names of any kind, the last value first', () => {
    const listed = 'core.bare\nfalse\0filter.a=b\nc.clean\nx\0alias.x\na\nb\0core.bare\ntrue\0push.default\0'
    expect(readGitConfiguration('').size).toBe(0)
    expect(readGitConfiguration(listed).get('core.bare')).toBe('true')
    expect(readGitConfiguration(listed).get('alias.x')).toBe('a\nb')
    expect(readGitConfiguration(listed).get('push.default')).toBe('true')
  })

  it('refuses the use that would run its program, and no other', async () => {
    expect(await isReadOnly('git diff', 'diff.external\nevil\0')).toBe(false)
    expect(await isReadOnly('git diff', 'diff.external\n\0')).toBe(true)
    expect(await isReadOnly('git log', 'diff.external\nevil\0')).toBe(true)
    expect(await isReadOnly('git status', 'core.fsmonitor\nevil\0')).toBe(false)
    expect(await isReadOnly('git status', 'core.fsmonitor\nTrue\0')).toBe(true)
    expect(await isReadOnly('git status', 'core.fsmonitor\0')).toBe(true)
    expect(await isReadOnly('ls; git --no-pager status | head', 'core.fsmonitor\nevil\0')).toBe(false)
  })

  it('is another one elsewhere: what compares a work tree there is refused', async () => {
    expect(await isReadOnly('git -C . status', '')).toBe(true)
    for (const command of ['status', 'diff', 'blame a', 'ls-files -m']) {
      expect(await isReadOnly(`git -C lib ${command}`, '')).toBe(false)
      expect(await isReadOnly(`cd lib && git ${command}`, '')).toBe(false)
      expect(await isReadOnly(`(cd lib); git ${command}`, '')).toBe(false)
      expect(await isReadOnly(`git ${command}; cd lib`, '')).toBe(true)
    }
    expect(await isReadOnly('git -C lib log -p', '')).toBe(true)
  })
})
