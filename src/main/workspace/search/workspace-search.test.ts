import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { runCall, type ToolRig, toolRig } from '../../../../tests/fakes/rigs/tool-rig.ts'
import type { GrepQuery } from '../../tools/tool-operations.ts'
import { runRipgrep } from './run-ripgrep.ts'

const never = new AbortController().signal

function grep(rig: ToolRig, query: Partial<GrepQuery>) {
  const whole: GrepQuery = {
    pattern: 'x',
    isLiteral: false,
    ignoreCase: false,
    path: '.',
    glob: null,
    contextLines: 0,
    limit: 100,
    ...query,
  }
  return rig.operations.grep(whole, never)
}

async function found(rig: ToolRig, query: Partial<GrepQuery>): Promise<string[]> {
  return (await grep(rig, query)).matches.map(({ path, line, text }) => `${path}:${line}:${text}`)
}

describe('grep', () => {
  it('respects ignore files and hidden names, except those of a project', async () => {
    const rig = await toolRig()
    rig.write('.gitignore', 'build/\n*.log\n')
    for (const path of [
      'a.txt',
      'build/a.txt',
      'x.log',
      '.hidden/a.txt',
      '.github/ci.yml',
      '.git/config',
      '.env',
    ])
      rig.write(path, 'needle\n')
    expect(await found(rig, { pattern: 'needle' })).toEqual(['.github/ci.yml:1:needle', 'a.txt:1:needle'])
    // A glob or a folder narrows, and lets nothing in that is ignored.
    expect(await found(rig, { pattern: 'needle', glob: '*.log' })).toEqual([])
    expect(await found(rig, { pattern: 'needle', glob: '**' })).toHaveLength(2)
    expect(await found(rig, { pattern: 'needle', glob: '.github/**' })).toEqual(['.github/ci.yml:1:needle'])
    expect(await found(rig, { pattern: 'needle', path: 'a.txt' })).toEqual(['a.txt:1:needle'])
    expect((await rig.operations.glob('**', 100, never)).paths).toEqual([
      '.github/ci.yml',
      '.gitignore',
      'a.txt',
    ])
    expect((await rig.operations.glob('*.log', 100, never)).paths).toEqual([])
  })

  it('shows a line once where its file is named by the glob and searched by its hidden name', async () => {
    const rig = await toolRig()
    rig.write('.gitignore', 'needle\n!.github\n')
    rig.write('.github/ci.yml', 'needle\n')
    expect(await found(rig, { pattern: 'needle', glob: '.gitignore' })).toEqual(['.gitignore:1:needle'])
    expect(await found(rig, { pattern: 'needle', glob: '**/*.yml' })).toEqual(['.github/ci.yml:1:needle'])
    const cut = await grep(rig, { pattern: 'needle', glob: '.gitignore', limit: 1 })
    expect(cut.isCut).toBe(false)
    expect(await rig.operations.glob('.gitignore', 1, never)).toEqual({
      paths: ['.gitignore'],
      isCut: false,
    })
  })

  it('takes regular expressions, plain text, case and surroundings', async () => {
    const rig = await toolRig()
    rig.write('sub/a.txt', 'one\nTwo (2)\nthree\n')
    expect(await found(rig, { pattern: 't(wo|hree)' })).toEqual(['sub/a.txt:3:three'])
    expect(await found(rig, { pattern: 'two (2)', isLiteral: true, ignoreCase: true })).toEqual([
      'sub/a.txt:2:Two (2)',
    ])
    const around = await grep(rig, { pattern: 'Two', path: 'sub', contextLines: 1 })
    expect(around.matches.map(({ line, isContext }) => [line, isContext])).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ])
    expect((await grep(rig, { pattern: '(' })).problem).toContain('unclosed group')
    expect(await found(rig, { pattern: '-e', isLiteral: true })).toEqual([])
  })

  it('finds Japanese in every encoding of the house', async () => {
    const rig = await toolRig()
    const text = '一行目\nこれは日本語の文(です)。\n'
    rig.write('utf8.txt', text)
    rig.write('sjis.txt', iconv.encode(text, 'Shift_JIS'))
    rig.write('euc.txt', iconv.encode(text, 'EUC-JP'))
    rig.write('utf16.txt', Buffer.from(`\ufeff${text}`, 'utf16le'))
    const all = ['euc', 'sjis', 'utf8', 'utf16'].map((name) => `${name}.txt:2:これは日本語の文(です)。`)
    expect(await found(rig, { pattern: '日本語の' })).toEqual(all)
    expect(await found(rig, { pattern: '文(です)', isLiteral: true })).toEqual(all)
    expect(await found(rig, { pattern: '日.+です' })).toEqual(all)
  })

  it('sees unsaved text of an open document', async () => {
    const rig = await toolRig()
    rig.write('open.txt', 'old\n')
    const watched = await rig.documents.watch('open.txt')
    const edit = { from: 0, to: 3, insert: 'unsaved words' }
    await rig.documents.service.edit({ root: rig.root, path: 'open.txt' }, edit, 'take')
    expect(await found(rig, { pattern: 'unsaved' })).toEqual(['open.txt:1:unsaved words'])
    await watched.stop()
  })

  it('follows no link, neither out of the folder nor inside', async () => {
    const rig = await toolRig()
    const outside = tempFolder()
    writeFileSync(join(outside, 'secret.txt'), 'needle\n')
    rig.write('real/a.txt', 'needle\n')
    symlinkSync(outside, join(rig.root, 'out'))
    symlinkSync(join(outside, 'secret.txt'), join(rig.root, 'secret.txt'))
    symlinkSync(join(rig.root, 'real'), join(rig.root, 'again'))
    expect(await found(rig, { pattern: 'needle' })).toEqual(['real/a.txt:1:needle'])
    // A link that leads inside is the folder that it leads to.
    expect(await found(rig, { pattern: 'needle', path: 'again' })).toEqual(['real/a.txt:1:needle'])
    await expect(grep(rig, { path: 'out' })).rejects.toMatchObject({ info: { code: 'file/outside' } })
    expect((await rig.operations.glob('**/*.txt', 10, never)).paths).toEqual(['real/a.txt'])
  })

  it('stops at its limits, and says so', async () => {
    const rig = await toolRig()
    rig.write('many.txt', 'needle\n'.repeat(500))
    rig.write('long.txt', `${'a'.repeat(3_000)}pin${'b'.repeat(3_000)}\n`)
    const finding = await grep(rig, { pattern: 'needle', limit: 20 })
    expect(finding).toMatchObject({ isCut: true, problem: null })
    expect(finding.matches).toHaveLength(20)
    const [long] = await found(rig, { pattern: 'pin' })
    expect(long).toMatch(/^long\.txt:1:…a{100}pinb+…$/)
    for (let at = 0; at < 30; at++) rig.write(`f${at}.md`, '')
    const glob = await rig.operations.glob('*.md', 10, never)
    expect(glob).toMatchObject({ isCut: true, paths: expect.objectContaining({ length: 10 }) })
    expect(glob.paths[9]).toBe('f9.md')
  })

  it('ends when it is aborted, and its process with it', async () => {
    const rig = await toolRig()
    const call = await rig.call('grep', { pattern: 'x' })
    expect((await runCall(call, AbortSignal.abort())).text).toContain('stopped')
    const stop = new AbortController()
    // Nothing writes to the pipe: without the abort the search would wait for it for ever.
    const pipe = join(rig.root, 'pipe')
    const { execFileSync } = await import('node:child_process')
    execFileSync('mkfifo', [pipe])
    const running = runRipgrep(
      {
        args: ['x', './pipe'],
        cwd: rig.root,
        separator: '\n',
        timeoutMs: 60_000,
        signal: stop.signal,
      },
      () => true,
    )
    setTimeout(() => stop.abort(new Error('enough')), 50)
    await expect(running).rejects.toThrow('enough')
    // The folder with the pipe in it is searched without waiting for it.
    expect(await found(rig, { pattern: 'x' })).toEqual([])
  })
})

describe('the grep tool', () => {
  it('does not show what a search must not show without a question', async () => {
    const rig = await toolRig({ searchFilter: (path) => !path.endsWith('.key') })
    rig.write('a.txt', 'token=1\n')
    rig.write('server.key', 'token=secret\n')
    const all = await rig.run('grep', { pattern: 'token' })
    expect(all.text).toContain('a.txt\n  1: token=1')
    expect(all.text).not.toContain('secret')
    expect(all.text).not.toContain('server.key')
    expect(all.view).toEqual({ kind: 'matches', count: 1, files: 1, isCut: false })
    const named = await rig.call('grep', { pattern: 'token', path: 'server.key' })
    expect(named.facts).toEqual({ kind: 'read', paths: ['server.key'] })
    expect((await runCall(named)).text).toContain('secret')
  })

  it('does not tell by its answer which patterns match there', async () => {
    const rig = await toolRig({ searchFilter: (path) => !path.endsWith('.key') })
    rig.write('known.txt', 'known\n'.repeat(500))
    rig.write('server.key', 'token=secret\n')
    for (const known of ['', 'known|']) {
      const [right, wrong] = ['s', 'x'].map((guess) => rig.run('grep', { pattern: `${known}token=${guess}` }))
      const texts = [(await right)?.text.replace('=s', '='), (await wrong)?.text.replace('=x', '=')]
      expect(texts[0]).toBe(texts[1])
    }
  })

  it('says when nothing is found and what a bad pattern is', async () => {
    const rig = await toolRig()
    mkdirSync(join(rig.root, 'empty'))
    expect((await rig.run('grep', { pattern: 'nothing' })).text).toContain('Nothing matches nothing')
    expect(await rig.run('grep', { pattern: '[' })).toMatchObject({
      isOk: false,
      text: expect.stringContaining('no regular expression'),
    })
    expect((await rig.run('glob', { pattern: '*.none' })).text).toContain('No file matches')
    expect((await rig.run('glob', { pattern: '../*' })).text).toContain('not inside')
    expect((await rig.run('grep', { pattern: 'x', path: 'nowhere' })).text).toContain('does not exist')
  })
})
