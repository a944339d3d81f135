import { describe, expect, it } from 'vitest'
import { globalExcludesPath } from './global-excludes.ts'

const rulesAt = async (files: Record<string, string>, env: Record<string, string>) =>
  (await globalExcludesPath(env, async (path) => files[path] ?? null)).rules

describe("the user's own ignore file", () => {
  it('is the one that a configuration names, else that of the settings folder', async () => {
    const home = { HOME: '/home/u' }
    const named = { '/home/u/.gitconfig': '[core]\n  excludesFile = "~/mine"\n' }
    expect(await rulesAt(named, home)).toBe('/home/u/mine')
    expect(await rulesAt({}, home)).toBe('/home/u/.config/git/ignore')
    const elsewhere = { ...home, XDG_CONFIG_HOME: '/conf' }
    expect(await rulesAt({ '/conf/git/config': '[core]\nexcludesfile=/x\n' }, elsewhere)).toBe('/x')
    expect(await rulesAt({}, elsewhere)).toBe('/conf/git/ignore')
    expect(await rulesAt({}, {})).toBeNull()
  })
})
