import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCall, type ToolBench, toolBench } from '../../../tests/fakes/tool-bench.ts'
import { limitResultBytes, sizeOf } from './result-text.ts'

const reason = 'because'

describe('read_file', () => {
  it('shows a range with line numbers, and says what is wrong with one', async () => {
    const bench = await toolBench()
    bench.write('a.txt', 'one\ntwo\nthree\n')
    expect(await bench.run('read_file', { path: 'a.txt', from: 2, to: 9 })).toMatchObject({
      isOk: true,
      text: 'a.txt, lines 2 to 3 of 3, 14 bytes\n2\ttwo\n3\tthree',
      view: { kind: 'file', path: 'a.txt', from: 2, to: 3, totalLines: 3, isCut: false },
    })
    expect((await bench.run('read_file', { path: 'a.txt', from: 4 })).text).toContain('has 3 lines')
    expect((await bench.run('read_file', { path: 'a.txt', from: 2, to: 1 })).isOk).toBe(false)
    bench.write('empty.txt', '')
    expect((await bench.run('read_file', { path: 'empty.txt' })).text).toBe('empty.txt is empty.')
    expect((await bench.run('read_file', { path: 'no.txt' })).text).toContain('does not exist')
    bench.write('sub/x', '')
    expect((await bench.run('read_file', { path: 'sub' })).text).toContain('list_directory')
  })

  it('cuts at 16 KB, head and tail, whole characters, and says how to read the rest', async () => {
    const bench = await toolBench()
    bench.write('long.txt', Array.from({ length: 3_000 }, (_, at) => `行 ${at + 1} 🎈`).join('\n'))
    const { text, view } = await bench.run('read_file', { path: 'long.txt' })
    expect(sizeOf(text)).toBeLessThanOrEqual(limitResultBytes)
    expect(sizeOf(text)).toBeGreaterThan(limitResultBytes - 200)
    expect(view).toMatchObject({ isCut: true, totalLines: 3_000 })
    const [, from, to] = /\[lines (\d+) to (\d+) are left out/.exec(text) ?? []
    expect(text).toContain(`${Number(from) - 1}\t行 ${Number(from) - 1} 🎈\n[lines`)
    expect(text).toContain(`]\n${Number(to) + 1}\t行 ${Number(to) + 1} 🎈`)
    expect(text.endsWith('3000\t行 3000 🎈')).toBe(true)
    const rest = await bench.run('read_file', { path: 'long.txt', from: Number(from), to: Number(from) + 5 })
    expect(rest.view).toMatchObject({ isCut: false })
  })

  it('shows head and tail of a line that is too long', async () => {
    const bench = await toolBench()
    bench.write('line.txt', `A${'日本語'.repeat(20_000)}Z`)
    const { text } = await bench.run('read_file', { path: 'line.txt' })
    expect(sizeOf(text)).toBeLessThanOrEqual(limitResultBytes)
    expect(text).toMatch(/1\tA日本語.+bytes of this line left out.+日本語Z$/)
    expect(text.isWellFormed()).toBe(true)
  })

  it('makes control characters harmless', async () => {
    const bench = await toolBench()
    bench.write('esc.txt', 'a\u001b[31mred\u0007\tb\u009b\n')
    expect((await bench.run('read_file', { path: 'esc.txt' })).text).toContain('1\ta␛[31mred␇\tb\ufffd')
  })

  it('names the file behind a link, for consent and for the ledger', async () => {
    const bench = await toolBench()
    bench.write('.env', 'KEY=1\n')
    symlinkSync('.env', join(bench.root, 'notes.txt'))
    const call = await bench.call('read_file', { path: 'notes.txt' })
    expect(call.facts).toEqual({ kind: 'read', paths: ['.env'] })
    await runCall(call)
    expect(bench.toolbox.filesInUse()).toMatchObject([{ path: '.env' }])
    const edit = await bench.call('edit', { path: 'notes.txt', old_text: '1', new_text: '2', reason })
    expect(edit.changes).toMatchObject([{ path: '.env' }])
    expect((await runCall(edit)).isOk).toBe(true)
    expect(bench.text('.env')).toBe('KEY=2\n')
    // What would go is not what was named.
    for (const [name, args] of [
      ['delete_file', { path: 'notes.txt', reason }],
      ['move_file', { path: 'notes.txt', to: 'b.txt', reason }],
    ] as const) {
      expect((await bench.run(name, args)).text).toContain('is a link')
    }
  })

  it('keeps the files in use, newest first', async () => {
    const bench = await toolBench()
    bench.write('a.txt', 'a\nb\nc\n')
    bench.write('b.txt', 'b\n')
    await bench.run('read_file', { path: 'a.txt', from: 1, to: 2 })
    await bench.run('read_file', { path: 'b.txt' })
    await bench.run('read_file', { path: 'a.txt', from: 3 })
    expect(bench.toolbox.filesInUse()).toEqual([
      { path: 'a.txt', from: 1, to: 3 },
      { path: 'b.txt', from: 1, to: 1 },
    ])
  })
})

describe('list_directory', () => {
  it('lists folders first, in natural order, with links as what they are', async () => {
    const bench = await toolBench()
    for (const name of ['10.txt', '2.txt', 'z/x', '.env']) bench.write(name, 'abc')
    symlinkSync('/etc', join(bench.root, 'out'))
    const { text, view } = await bench.run('list_directory', {})
    expect(text.split('\n').slice(1)).toEqual(['z/', '2.txt\t3', '10.txt\t3', '.env\t3', 'out@'])
    expect(view).toEqual({ kind: 'entries', path: '.', count: 5, isCut: false })
    expect((await bench.run('list_directory', { path: '2.txt' })).text).toContain('read_file')
    expect((await bench.run('list_directory', { path: 'nowhere' })).text).toContain('does not exist')
    expect((await bench.run('list_directory', { path: 'out' })).text).toContain('not inside')
  })

  it('cuts a long list and says so', async () => {
    const bench = await toolBench()
    for (let at = 0; at < 400; at++) bench.write(`many/${'n'.repeat(60)}${at}`, '')
    const { text, view } = await bench.run('list_directory', { path: 'many' })
    expect(sizeOf(text)).toBeLessThanOrEqual(limitResultBytes)
    expect(text).toMatch(/\[\d+ of 400 shown/)
    expect(view).toMatchObject({ count: 400, isCut: true })
  })
})

describe('write_file', () => {
  it('makes a new file with its folders as it was written, once', async () => {
    const bench = await toolBench()
    const call = await bench.call('write_file', { path: 'a/b/c.bat', content: 'x\r\ny\n', reason })
    expect(call.facts).toMatchObject({ kind: 'change', files: [{ action: 'create', oldText: null }] })
    expect((await runCall(call)).isOk).toBe(true)
    expect(bench.text('a/b/c.bat')).toBe('x\r\ny\n')
    expect((await runCall(call)).isOk).toBe(false)
  })

  it('replaces only what was read, in its own spelling', async () => {
    const bench = await toolBench()
    bench.write('a.txt', 'one\r\ntwo\r\n')
    const args = { path: 'a.txt', content: 'one\nTWO\n', reason }
    expect((await bench.run('write_file', args)).text).toContain('was not read')
    await bench.run('read_file', { path: 'a.txt' })
    expect((await bench.run('write_file', args)).isOk).toBe(true)
    expect(bench.text('a.txt')).toBe('one\r\nTWO\r\n')
    expect((await bench.run('write_file', args)).text).toContain('already')
    bench.write('a.txt', 'other\n')
    expect((await bench.run('write_file', args)).text).toContain('has changed since')
  })

  it('applies to no other content when it is looked at again', async () => {
    const bench = await toolBench()
    bench.write('a.txt', 'one\n')
    await bench.run('read_file', { path: 'a.txt' })
    const over = await bench.call('write_file', { path: 'a.txt', content: 'two\n', reason })
    const fresh = await bench.call('write_file', { path: 'new.txt', content: 'n\n', reason })
    expect(await over.renew()).toBe(over)
    bench.write('a.txt', 'changed\n')
    bench.write('new.txt', 'already here\n')
    expect(await over.renew()).toBeNull()
    expect(await fresh.renew()).toBeNull()
    expect((await runCall(over)).isOk).toBe(false)
    expect((await runCall(fresh)).isOk).toBe(false)
    expect(bench.text('new.txt')).toBe('already here\n')
  })

  it.each(['x/', 'con:.txt', 'a\nb', 'dot.', 'CON', 'n'.repeat(256), '.', ''])(
    'refuses the name %j',
    async (path) => {
      const bench = await toolBench()
      expect((await bench.run('write_file', { path, content: 'x', reason })).isOk).toBe(false)
    },
  )
})

describe('delete_file and move_file', () => {
  it('delete and move single files, also binaries, and forget or follow them', async () => {
    const bench = await toolBench()
    bench.write('a.bin', Uint8Array.of(0, 1, 2, 0))
    bench.write('b.txt', 'b\n')
    await bench.run('read_file', { path: 'b.txt' })
    const remove = await bench.call('delete_file', { path: 'a.bin', reason })
    expect(remove.facts).toMatchObject({ files: [{ action: 'delete', oldText: null, sizeBytes: 4 }] })
    expect((await runCall(remove)).isOk).toBe(true)
    expect((await bench.run('move_file', { path: 'b.txt', to: 'sub/c.txt', reason })).isOk).toBe(true)
    expect(bench.text('sub/c.txt')).toBe('b\n')
    expect(bench.toolbox.filesInUse()).toEqual([{ path: 'sub/c.txt', from: 1, to: 1 }])
    const edit = { path: 'sub/c.txt', old_text: 'b', new_text: 'c', reason }
    expect((await bench.run('edit', edit)).isOk).toBe(true)
  })

  it('refuse folders, what is there already, and what is not', async () => {
    const bench = await toolBench()
    bench.write('a.txt', 'a')
    bench.write('b.txt', 'b')
    bench.write('sub/x', '')
    expect((await bench.run('delete_file', { path: 'sub', reason })).text).toContain('is a folder')
    expect((await bench.run('delete_file', { path: 'no', reason })).text).toContain('does not exist')
    for (const to of ['b.txt', 'sub', 'a.txt', 'x/..', 'nul.', 'y/']) {
      expect((await bench.run('move_file', { path: 'a.txt', to, reason })).isOk, to).toBe(false)
    }
    expect(bench.text('a.txt')).toBe('a')
  })

  it('see what earlier calls of the answer leave', async () => {
    const bench = await toolBench()
    bench.write('a.txt', 'a\n')
    const reads = await bench.prepare(
      ['move_file', { path: 'a.txt', to: 'b.txt', reason }],
      ['write_file', { path: 'a.txt', content: 'new\n', reason }],
      ['edit', { path: 'a.txt', old_text: 'new', new_text: 'newer', reason }],
      ['delete_file', { path: 'b.txt', reason }],
      ['delete_file', { path: 'b.txt', reason }],
    )
    expect(reads.map(({ kind }) => kind)).toEqual(['world', 'world', 'world', 'world', 'invalid'])
    for (const read of reads) if (read.kind === 'world') expect((await runCall(read.call)).isOk).toBe(true)
    expect(bench.text('a.txt')).toBe('newer\n')
  })

  it('undo everything by the id of their change set', async () => {
    const bench = await toolBench()
    bench.write('a.txt', 'a\n')
    const { view } = await bench.run('delete_file', { path: 'a.txt', reason })
    if (view.kind !== 'change') throw new Error('no change')
    await bench.changeSets.undo(view.changeSetId)
    expect(bench.text('a.txt')).toBe('a\n')
  })
})

describe('write_file over a file that was read in part', () => {
  const text = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join('')
  const write = (bench: ToolBench) =>
    bench.run('write_file', { path: 'a.txt', content: 'new\n', reason: 'because' })

  it('is refused with the lines that were not read, until ranges add up to all of it', async () => {
    const bench = await toolBench()
    bench.write('a.txt', text)
    await bench.run('read_file', { path: 'a.txt', from: 4, to: 4 })
    expect((await write(bench)).text).toContain('1-3, 5-10 of 10')
    await bench.run('read_file', { path: 'a.txt', from: 1, to: 3 })
    expect((await write(bench)).text).toContain('5-10 of 10')
    expect(bench.text('a.txt')).toBe(text)
    await bench.run('read_file', { path: 'a.txt', from: 5 })
    expect((await write(bench)).isOk).toBe(true)
    expect(bench.text('a.txt')).toBe('new\n')
  })

  it('is refused where an edit came between, and where the middle of a long text was left out', async () => {
    const bench = await toolBench()
    bench.write('a.txt', text)
    await bench.run('read_file', { path: 'a.txt', from: 1, to: 5 })
    await bench.run('edit', {
      path: 'a.txt',
      old_text: 'line 2',
      new_text: 'line 2\nand more',
      reason: 'because',
    })
    expect((await write(bench)).text).toContain('7-11 of 11')
    bench.write('a.txt', Array.from({ length: 2_000 }, (_, at) => `${at} ${'x'.repeat(40)}\n`).join(''))
    await bench.run('read_file', { path: 'a.txt' })
    expect((await write(bench)).text).toContain('of 2000')
  })
})
