import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCall, type ToolRig, toolRig } from '../../../../tests/fakes/rigs/tool-rig.ts'
import { limitResultBytes, sizeOf } from '../defining/result-text.ts'

const reason = 'because'

describe('read_file', () => {
  it('shows a range with line numbers, and says what is wrong with one', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\ntwo\nthree\n')
    expect(await rig.run('read_file', { path: 'a.txt', from: 2, to: 9 })).toMatchObject({
      isOk: true,
      text: 'a.txt, lines 2 to 3 of 3, 14 bytes\n2\ttwo\n3\tthree',
      view: { kind: 'file', path: 'a.txt', from: 2, to: 3, totalLines: 3, isCut: false },
    })
    expect((await rig.run('read_file', { path: 'a.txt', from: 4 })).text).toContain('has 3 lines')
    expect((await rig.run('read_file', { path: 'a.txt', from: 2, to: 1 })).isOk).toBe(false)
    rig.write('empty.txt', '')
    expect((await rig.run('read_file', { path: 'empty.txt' })).text).toBe('empty.txt is empty.')
    expect((await rig.run('read_file', { path: 'no.txt' })).text).toContain('does not exist')
    rig.write('sub/x', '')
    expect((await rig.run('read_file', { path: 'sub' })).text).toContain('list_directory')
  })

  it('cuts at 16 KB, head and tail, whole characters, and says how to read the rest', async () => {
    const rig = await toolRig()
    rig.write('long.txt', Array.from({ length: 3_000 }, (_, at) => `行 ${at + 1} 🎈`).join('\n'))
    const { text, view } = await rig.run('read_file', { path: 'long.txt' })
    expect(sizeOf(text)).toBeLessThanOrEqual(limitResultBytes)
    expect(sizeOf(text)).toBeGreaterThan(limitResultBytes - 200)
    expect(view).toMatchObject({ isCut: true, totalLines: 3_000 })
    const [, from, to] = /\[lines (\d+) to (\d+) are left out/.exec(text) ?? []
    expect(text).toContain(`${Number(from) - 1}\t行 ${Number(from) - 1} 🎈\n[lines`)
    expect(text).toContain(`]\n${Number(to) + 1}\t行 ${Number(to) + 1} 🎈`)
    expect(text.endsWith('3000\t行 3000 🎈')).toBe(true)
    const rest = await rig.run('read_file', { path: 'long.txt', from: Number(from), to: Number(from) + 5 })
    expect(rest.view).toMatchObject({ isCut: false })
  })

  it('shows a range of 2,000 lines whole where the context window has room for it', async () => {
    const rig = await toolRig()
    rig.write(
      'long.txt',
      Array.from({ length: 5_000 }, (_, at) => `line ${at + 1} of a long file`).join('\n'),
    )
    rig.toolbox.noteWindow?.(131_072)
    const { text, view } = await rig.run('read_file', { path: 'long.txt', from: 1_001, to: 3_000 })
    expect(view).toMatchObject({ from: 1_001, to: 3_000, isCut: false })
    expect(text.split('\n')).toHaveLength(2_001)
    rig.toolbox.noteWindow?.(32_768)
    const less = await rig.run('read_file', { path: 'long.txt', from: 1_001, to: 3_000 })
    expect(less.text).toMatch(/\[lines \d+ to \d+ are left out/)
  })

  it('shows head and tail of a line that is too long', async () => {
    const rig = await toolRig()
    rig.write('line.txt', `A${'日本語'.repeat(20_000)}Z`)
    const { text } = await rig.run('read_file', { path: 'line.txt' })
    expect(sizeOf(text)).toBeLessThanOrEqual(limitResultBytes)
    expect(text).toMatch(/1\tA日本語.+bytes of this line left out.+日本語Z$/)
    expect(text.isWellFormed()).toBe(true)
  })

  it('makes control characters harmless', async () => {
    const rig = await toolRig()
    rig.write('esc.txt', 'a\u001b[31mred\u0007\tb\u009b\n')
    expect((await rig.run('read_file', { path: 'esc.txt' })).text).toContain('1\ta␛[31mred␇\tb\ufffd')
  })

  it('names the file behind a link, for consent and for the ledger', async () => {
    const rig = await toolRig()
    rig.write('.env', 'KEY=1\n')
    symlinkSync('.env', join(rig.root, 'notes.txt'))
    const call = await rig.call('read_file', { path: 'notes.txt' })
    expect(call.facts).toEqual({ kind: 'read', paths: ['.env'] })
    await runCall(call)
    expect(rig.toolbox.filesInUse()).toMatchObject([{ path: '.env' }])
    const edit = await rig.call('edit', { path: 'notes.txt', old_text: '1', new_text: '2', reason })
    expect(edit.changes).toMatchObject([{ path: '.env' }])
    expect((await runCall(edit)).isOk).toBe(true)
    expect(rig.text('.env')).toBe('KEY=2\n')
    // The target would be deleted or moved instead of the named link.
    for (const [name, args] of [
      ['delete_file', { path: 'notes.txt', reason }],
      ['move_file', { path: 'notes.txt', to: 'b.txt', reason }],
    ] as const) {
      expect((await rig.run(name, args)).text).toContain('is a link')
    }
  })

  it('keeps the files in use, newest first', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'a\nb\nc\n')
    rig.write('b.txt', 'b\n')
    await rig.run('read_file', { path: 'a.txt', from: 1, to: 2 })
    await rig.run('read_file', { path: 'b.txt' })
    await rig.run('read_file', { path: 'a.txt', from: 3 })
    expect(rig.toolbox.filesInUse()).toEqual([
      { path: 'a.txt', from: 1, to: 3 },
      { path: 'b.txt', from: 1, to: 1 },
    ])
  })
})

describe('list_directory', () => {
  it('lists folders first, in natural order, with links as what they are', async () => {
    const rig = await toolRig()
    for (const name of ['10.txt', '2.txt', 'z/x', '.env']) rig.write(name, 'abc')
    symlinkSync('/etc', join(rig.root, 'out'))
    const { text, view } = await rig.run('list_directory', {})
    expect(text.split('\n').slice(1)).toEqual(['z/', '2.txt\t3', '10.txt\t3', '.env\t3', 'out@'])
    expect(view).toEqual({ kind: 'entries', path: '.', count: 5, isCut: false })
    expect((await rig.run('list_directory', { path: '2.txt' })).text).toContain('read_file')
    expect((await rig.run('list_directory', { path: 'nowhere' })).text).toContain('does not exist')
    expect((await rig.run('list_directory', { path: 'out' })).text).toContain('not inside')
  })

  it('cuts a long list and says so', async () => {
    const rig = await toolRig()
    for (let at = 0; at < 400; at++) rig.write(`many/${'n'.repeat(60)}${at}`, '')
    const { text, view } = await rig.run('list_directory', { path: 'many' })
    expect(sizeOf(text)).toBeLessThanOrEqual(limitResultBytes)
    expect(text).toMatch(/\[\d+ of 400 shown/)
    expect(view).toMatchObject({ count: 400, isCut: true })
  })
})

describe('write_file', () => {
  it('makes a new file with its folders as it was written, once', async () => {
    const rig = await toolRig()
    const call = await rig.call('write_file', { path: 'a/b/c.bat', content: 'x\r\ny\n', reason })
    expect(call.facts).toMatchObject({ kind: 'change', files: [{ action: 'create', oldText: null }] })
    expect((await runCall(call)).isOk).toBe(true)
    expect(rig.text('a/b/c.bat')).toBe('x\r\ny\n')
    expect((await runCall(call)).isOk).toBe(false)
  })

  it('replaces only what was read, in its own spelling', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\r\ntwo\r\n')
    const args = { path: 'a.txt', content: 'one\nTWO\n', reason }
    expect((await rig.run('write_file', args)).text).toContain('was not read')
    await rig.run('read_file', { path: 'a.txt' })
    expect((await rig.run('write_file', args)).isOk).toBe(true)
    expect(rig.text('a.txt')).toBe('one\r\nTWO\r\n')
    expect((await rig.run('write_file', args)).text).toContain('already')
    rig.write('a.txt', 'other\n')
    expect((await rig.run('write_file', args)).text).toContain('has changed since')
  })

  it('applies to no other content when it is looked at again', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\n')
    await rig.run('read_file', { path: 'a.txt' })
    const over = await rig.call('write_file', { path: 'a.txt', content: 'two\n', reason })
    const fresh = await rig.call('write_file', { path: 'new.txt', content: 'n\n', reason })
    expect(await over.renew()).toBe(over)
    rig.write('a.txt', 'changed\n')
    rig.write('new.txt', 'already here\n')
    expect(await over.renew()).toBeNull()
    expect(await fresh.renew()).toBeNull()
    expect((await runCall(over)).isOk).toBe(false)
    expect((await runCall(fresh)).isOk).toBe(false)
    expect(rig.text('new.txt')).toBe('already here\n')
  })

  it.each(['x/', 'con:.txt', 'a\nb', 'dot.', 'CON', 'n'.repeat(256), '.', ''])(
    'refuses the name %j',
    async (path) => {
      const rig = await toolRig()
      expect((await rig.run('write_file', { path, content: 'x', reason })).isOk).toBe(false)
    },
  )
})

describe('delete_file and move_file', () => {
  it('delete and move single files, also binaries, and forget or follow them', async () => {
    const rig = await toolRig()
    rig.write('a.bin', Uint8Array.of(0, 1, 2, 0))
    rig.write('b.txt', 'b\n')
    await rig.run('read_file', { path: 'b.txt' })
    const remove = await rig.call('delete_file', { path: 'a.bin', reason })
    expect(remove.facts).toMatchObject({
      files: [{ action: 'delete', oldText: null, sizeBytes: 4, isOpaque: true }],
    })
    expect((await runCall(remove)).isOk).toBe(true)
    expect((await rig.run('move_file', { path: 'b.txt', to: 'sub/c.txt', reason })).isOk).toBe(true)
    expect(rig.text('sub/c.txt')).toBe('b\n')
    expect(rig.toolbox.filesInUse()).toEqual([{ path: 'sub/c.txt', from: 1, to: 1 }])
    const edit = { path: 'sub/c.txt', old_text: 'b', new_text: 'c', reason }
    expect((await rig.run('edit', edit)).isOk).toBe(true)
  })

  it('refuse folders, what is there already, and what is not', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'a')
    rig.write('b.txt', 'b')
    rig.write('sub/x', '')
    expect((await rig.run('delete_file', { path: 'sub', reason })).text).toContain('is a folder')
    expect((await rig.run('delete_file', { path: 'no', reason })).text).toContain('does not exist')
    for (const to of ['b.txt', 'sub', 'a.txt', 'x/..', 'nul.', 'y/']) {
      expect((await rig.run('move_file', { path: 'a.txt', to, reason })).isOk, to).toBe(false)
    }
    expect(rig.text('a.txt')).toBe('a')
  })

  it('see what earlier calls of the answer leave', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'a\n')
    const reads = await rig.prepare(
      ['move_file', { path: 'a.txt', to: 'b.txt', reason }],
      ['write_file', { path: 'a.txt', content: 'new\n', reason }],
      ['edit', { path: 'a.txt', old_text: 'new', new_text: 'newer', reason }],
      ['delete_file', { path: 'b.txt', reason }],
      ['delete_file', { path: 'b.txt', reason }],
    )
    expect(reads.map(({ kind }) => kind)).toEqual(['world', 'world', 'world', 'world', 'invalid'])
    for (const read of reads) if (read.kind === 'world') expect((await runCall(read.call)).isOk).toBe(true)
    expect(rig.text('a.txt')).toBe('newer\n')
  })

  it('undo everything by the id of their change set', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'a\n')
    const { view } = await rig.run('delete_file', { path: 'a.txt', reason })
    if (view.kind !== 'change') throw new Error('no change')
    await rig.changeSets.undo(view.changeSetId)
    expect(rig.text('a.txt')).toBe('a\n')
  })
})

describe('write_file over a file that was read in part', () => {
  const text = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join('')
  const write = (rig: ToolRig) =>
    rig.run('write_file', { path: 'a.txt', content: 'new\n', reason: 'because' })

  it('is refused with the lines that were not read, until ranges add up to all of it', async () => {
    const rig = await toolRig()
    rig.write('a.txt', text)
    await rig.run('read_file', { path: 'a.txt', from: 4, to: 4 })
    expect((await write(rig)).text).toContain('1-3, 5-10 of 10')
    await rig.run('read_file', { path: 'a.txt', from: 1, to: 3 })
    expect((await write(rig)).text).toContain('5-10 of 10')
    expect(rig.text('a.txt')).toBe(text)
    await rig.run('read_file', { path: 'a.txt', from: 5 })
    expect((await write(rig)).isOk).toBe(true)
    expect(rig.text('a.txt')).toBe('new\n')
  })

  it('is refused where an edit came between, and where the middle of a long text was left out', async () => {
    const rig = await toolRig()
    rig.write('a.txt', text)
    await rig.run('read_file', { path: 'a.txt', from: 1, to: 5 })
    await rig.run('edit', {
      path: 'a.txt',
      old_text: 'line 2',
      new_text: 'line 2\nand more',
      reason: 'because',
    })
    expect((await write(rig)).text).toContain('7-11 of 11')
    rig.write('a.txt', Array.from({ length: 2_000 }, (_, at) => `${at} ${'x'.repeat(40)}\n`).join(''))
    await rig.run('read_file', { path: 'a.txt' })
    expect((await write(rig)).text).toContain('of 2000')
  })

  it('is refused where the middle of a long line was left out, until that line was read by itself', async () => {
    const rig = await toolRig()
    const lines = ['一行目', '長い段落。'.repeat(400), '三行目']
    rig.write('a.txt', `${lines.join('\n')}\n`)
    const read = await rig.run('read_file', { path: 'a.txt' })
    expect(read.text).toContain('bytes of this line left out')
    expect((await write(rig)).text).toContain('lines 2 of 3')
    const edit = { path: 'a.txt', old_text: '三行目', new_text: '三行目。', reason: 'because' }
    expect((await rig.run('edit', edit)).isOk).toBe(true)
    const { view } = await rig.run('read_file', { path: 'a.txt', from: 2, to: 2 })
    expect(view).toMatchObject({ isCut: false })
    expect((await write(rig)).isOk).toBe(true)
    expect(rig.text('a.txt')).toBe('new\n')
  })
})
