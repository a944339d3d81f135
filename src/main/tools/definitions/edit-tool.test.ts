import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { runCall, type ToolRig, toolRig } from '../../../../tests/fakes/rigs/tool-rig.ts'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import type { PreparedCall } from '../prepared-call.ts'

const reason = 'because'

async function readRig(path: string, content: string | Uint8Array): Promise<ToolRig> {
  const rig = await toolRig()
  rig.write(path, content)
  await rig.run('read_file', { path })
  return rig
}

function edit(rig: ToolRig, old_text: string, new_text: string, path = 'a.txt') {
  return rig.run('edit', { path, old_text, new_text, reason })
}

describe('edit', () => {
  it('refuses a file that was not read, and one that has changed where the edit is', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'secret one\n')
    const unread = await edit(rig, 'secret', 'x')
    expect(unread).toMatchObject({ isOk: false, text: expect.stringContaining('was not read') })
    await rig.run('read_file', { path: 'a.txt' })
    rig.write('a.txt', 'secret two\n')
    const changed = await edit(rig, 'secret one', 'x')
    expect(changed.text).toContain('has changed since')
    expect(changed.text).not.toContain('two')
    rig.write('a.txt', 'secret one, secret one\n')
    expect((await edit(rig, 'secret one', 'x')).text).toContain('has changed since')
    expect(rig.text('a.txt')).toBe('secret one, secret one\n')
  })

  it('changes a file that has changed elsewhere, and shows the lines as they are now', async () => {
    const rig = await readRig('a.txt', 'one\ntwo\nthree\n')
    rig.write('a.txt', 'one\nTWO by the user\nthree\n')
    const done = await edit(rig, 'three', '3')
    expect(done).toMatchObject({ isOk: true, text: expect.stringContaining('2\tTWO by the user') })
    expect(rig.text('a.txt')).toBe('one\nTWO by the user\n3\n')
  })

  it('changes a file of which a search has shown lines, and one that was never shown not', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'load one\nload two\nthree\n')
    rig.write('b.txt', 'nothing of it\n')
    await rig.run('grep', { pattern: 'load' })
    expect((await edit(rig, 'nothing', 'x', 'b.txt')).text).toContain('was not read')
    // All of it would be lost unseen.
    const whole = await rig.run('write_file', { path: 'a.txt', content: 'x\n', reason })
    expect(whole).toMatchObject({ isOk: false, text: expect.stringContaining('lines 1-3 of 3') })
    const edits = [{ old_text: 'load', new_text: 'fetch', replace_all: true }]
    expect(await rig.run('edit', { path: 'a.txt', edits, reason })).toMatchObject({ isOk: true })
    expect(rig.text('a.txt')).toBe('fetch one\nfetch two\nthree\n')
    await rig.run('grep', { pattern: 'nothing' })
    rig.write('b.txt', 'nothing of it, nothing\n')
    expect((await edit(rig, 'nothing', 'x', 'b.txt')).text).toContain('has changed since')
  })

  it('shows lines between two changes once', async () => {
    const rig = await readRig('a.txt', 'one\n2\n3\nfour\n5\n6\n7\n8\n9\n10\neleven\n')
    const edits = ['one', 'four', 'eleven'].map((word) => ({ old_text: word, new_text: word.toUpperCase() }))
    const { text } = await rig.run('edit', { path: 'a.txt', edits, reason })
    expect(text.split('\n').slice(1)).toEqual([
      ...['1\tONE', '2\t2', '3\t3', '4\tFOUR', '5\t5', '6\t6', '…', '9\t9', '10\t10', '11\tELEVEN'],
    ])
  })

  it('understands a text that was copied with the line numbers of read_file', async () => {
    const rig = await readRig('a.txt', 'one\ntwo\nthree\n')
    expect(await edit(rig, '1\tone\n2\ttwo', '1\tone\n2\tTWO')).toMatchObject({ isOk: true })
    expect(rig.text('a.txt')).toBe('one\nTWO\nthree\n')
    const numbered = await readRig('b.txt', '1\tone\n')
    await numbered.run('edit', { path: 'b.txt', old_text: '1\tone', new_text: '2\ttwo', reason })
    expect(numbered.text('b.txt')).toBe('2\ttwo\n')
  })

  it('helps where the text is not there, or in several places', async () => {
    const rig = await readRig('a.txt', 'alpha\nconst total = sum(items)\nomega\nx\nx\n')
    const missing = await edit(rig, 'const total = sum(item)', 'y')
    expect(missing.text).toContain('does not occur')
    expect(missing.text).toContain('2\tconst total = sum(items)')
    const several = await edit(rig, 'x', 'y')
    expect(several.text).toContain('at lines 4, 5')
    expect((await edit(rig, 'alpha', 'alpha')).text).toContain('as it is')
    expect((await edit(rig, 'alpha', 'al\0pha')).text).toContain('NUL')
    expect((await edit(rig, 'alpha', 'al\ud800pha')).text).toContain('lacks these characters')
    expect(rig.text('a.txt')).toBe('alpha\nconst total = sum(items)\nomega\nx\nx\n')
  })

  it('applies several edits in their order as one change', async () => {
    const rig = await readRig('a.txt', 'one\ntwo\nthree two\n')
    const edits = [
      { old_text: 'one', new_text: 'zero\none and' },
      { old_text: 'one and', new_text: 'ONE' },
      { old_text: 'two', new_text: '$& 2', replace_all: true },
    ]
    const call = await rig.call('edit', { path: 'a.txt', edits, reason })
    expect(call.changes).toHaveLength(1)
    expect((await runCall(call)).text).toContain('2\tONE')
    expect(rig.text('a.txt')).toBe('zero\nONE\n$& 2\nthree $& 2\n')
  })

  it('applies none of several edits where one does not fit, and names it with the lines like it', async () => {
    const rig = await readRig('a.txt', 'alpha\nconst total = sum(items)\n')
    const edits = [
      { old_text: 'alpha', new_text: 'beta' },
      { old_text: 'const total = sum(item)', new_text: 'y' },
    ]
    const result = await rig.run('edit', { path: 'a.txt', edits, reason })
    expect(result).toMatchObject({ isOk: false, text: expect.stringContaining('Edit 2 of 2') })
    expect(result.text).toContain('2\tconst total = sum(items)')
    expect(result.text).toContain('None of the edits was applied')
    expect(rig.text('a.txt')).toBe('alpha\nconst total = sum(items)\n')
  })

  it.each([
    ['a list as text', { edits: '[{"old_text":"one","new_text":"ONE"}]' }],
    ["other programs' names", { edits: [{ old_string: 'one', new_string: 'ONE', replaceAll: 'true' }] }],
    ['one edit beside the path', { old_string: 'one', new_text: 'ONE' }],
  ])('takes %s', async (_, args) => {
    const rig = await readRig('a.txt', 'one\ntwo\n')
    expect(await rig.run('edit', { path: 'a.txt', ...args, reason })).toMatchObject({ isOk: true })
    expect(rig.text('a.txt')).toBe('ONE\ntwo\n')
  })

  it('says which part of an edit is missing or not known', async () => {
    const rig = await readRig('a.txt', 'one\n')
    expect((await rig.run('edit', { path: 'a.txt', old_text: 'one', reason })).text).toContain(
      'edits.0.new_text',
    )
    expect((await rig.run('edit', { path: 'a.txt', reason })).text).toContain('edits')
    const both = { old_text: 'one', edits: [{ old_text: 'one', new_text: 'x' }] }
    expect((await rig.run('edit', { path: 'a.txt', ...both, reason })).text).toContain('old_text')
    expect(rig.text('a.txt')).toBe('one\n')
  })

  it('does not edit binaries, folders, or more than 5 MB', async () => {
    const rig = await toolRig()
    rig.write('b.bin', Uint8Array.of(0, 1, 2, 255, 0, 9))
    rig.write('big.txt', `needle\n${'x'.repeat(5_000_001)}`)
    rig.write('sub/a.txt', 'a')
    expect((await rig.run('read_file', { path: 'b.bin' })).text).toContain('not a text file')
    expect((await rig.run('read_file', { path: 'big.txt' })).isOk).toBe(true)
    expect((await edit(rig, 'needle', 'x', 'big.txt')).text).toContain('5000000')
    expect((await edit(rig, 'a', 'b', 'sub')).text).toContain('is a folder')
    expect((await edit(rig, 'a', 'b', 'b.bin')).text).toContain('was not read')
  })

  const bodies = ['１行目\n春\n　夏\n最後\n', 'ただの文', '\n\n春\n\n', '春\n夏']
  const spellings = ['utf8', 'utf8-bom', 'utf16le', 'utf16be', 'Shift_JIS', 'EUC-JP']
  const encode = (text: string, spelling: string): Buffer => {
    if (spelling === 'utf8-bom') return Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(text)])
    if (spelling === 'utf16be') return Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
    if (spelling === 'utf16le') return Buffer.from(`\ufeff${text}`, 'utf16le')
    return iconv.encode(text, spelling)
  }

  it.each(spellings)(
    'keeps %s, its line ends and its mark byte for byte outside of the edit',
    async (spelling) => {
      const rig = await toolRig()
      let count = 0
      for (const body of bodies) {
        for (const end of ['\n', '\r\n', '\r']) {
          const text = body.replaceAll('\n', end)
          const path = `f${count++}.txt`
          rig.write(path, encode(text, spelling))
          await rig.run('read_file', { path })
          const target = body.includes('春') ? '春' : 'ただの文'
          const result = await edit(rig, target, '秋\n冬', path)
          expect(result.isOk, result.text).toBe(true)
          const wanted = text.replace(target, `秋${text.includes(end) ? end : '\n'}冬`)
          expect(rig.bytes(path)).toEqual(encode(wanted, spelling))
        }
      }
    },
  )

  it('leaves every line end of a file with mixed ones, wherever it edits', async () => {
    const rig = await toolRig()
    const ends = ['\n', '\r\n', '\r']
    for (let seed = 1; seed <= 60; seed++) {
      const random = seededRandom(seed)
      const lines = Array.from({ length: 6 }, (_, at) => `line ${at}  of ${seed}`)
      const tails = lines.map(() => ends[Math.floor(random() * 3)] ?? '\n')
      const path = `m${seed}.txt`
      const joined = (all: string[]): string => all.map((line, at) => line + tails[at]).join('')
      rig.write(path, joined(lines))
      await rig.run('read_file', { path })
      const at = Math.floor(random() * 6)
      // The old text has other white space than the file, and is found nevertheless.
      const result = await edit(rig, `line  ${at} of ${seed}`, `changed ${at}`, path)
      expect(result.isOk, result.text).toBe(true)
      expect(rig.text(path)).toBe(joined(lines.with(at, `changed ${at}`)))
    }
  })

  it('says what a legacy encoding cannot spell, and writes nothing', async () => {
    const bytes = iconv.encode('これは日本語の文です。', 'Shift_JIS')
    const rig = await readRig('a.txt', bytes)
    const result = await edit(rig, '日本語', '🎈')
    expect(result.text).toContain('🎈')
    expect(rig.bytes('a.txt')).toEqual(bytes)
  })
})

describe('a prepared edit', () => {
  const lines = Array.from({ length: 12 }, (_, at) => `line ${at}`).join('\n')

  async function twoPlaces(): Promise<{ rig: ToolRig; call: PreparedCall }> {
    const rig = await readRig('a.txt', lines)
    const call = await rig.call('edit', {
      path: 'a.txt',
      old_text: lines,
      new_text: lines.replace('line 1\n', 'LINE 1\n').replace('line 10', 'LINE 10'),
      reason,
    })
    return { rig, call }
  }

  it('writes what its hash is of, hunk by hunk', async () => {
    const { rig, call } = await twoPlaces()
    const partial = call.without([{ path: 'a.txt', hunks: [0] }])
    expect(partial.hash).not.toBe(call.hash)
    expect(call.without([{ path: 'a.txt', hunks: [7] }])).toBe(call)
    const result = await runCall(partial)
    expect(rig.text('a.txt')).toBe(lines.replace('line 10', 'LINE 10'))
    expect(result.view).toMatchObject({ refusedHunks: 1, files: [{ addedLines: 1, removedLines: 1 }] })
    expect(result.text).toContain('left out 1 of 2 places (at lines 2')
  })

  it('does nothing where every hunk was refused', async () => {
    const { rig, call } = await twoPlaces()
    const none = call.without([{ path: 'a.txt', hunks: [0, 1] }])
    expect(none.changes).toEqual([])
    expect((await runCall(none)).isOk).toBe(false)
    expect(rig.text('a.txt')).toBe(lines)
  })

  it('is the same while nothing changes, another where it still applies, none where it does not', async () => {
    const { rig, call } = await twoPlaces()
    expect(await call.renew()).toBe(call)
    rig.write('a.txt', `before\n${lines}`)
    const renewed = await call.renew()
    expect(renewed?.hash).not.toBe(call.hash)
    expect((await runCall(call)).text).toContain('no longer as')
    expect(rig.text('a.txt')).toBe(`before\n${lines}`)
    if (renewed === null) throw new Error('it still applies')
    expect((await runCall(renewed)).isOk).toBe(true)
    expect(rig.text('a.txt')).toContain('before\nline 0\nLINE 1\n')
    rig.write('a.txt', 'all new')
    expect(await call.renew()).toBeNull()
  })

  it('is made anew with what an earlier call of the answer leaves when the file changes', async () => {
    const rig = await readRig('a.txt', 'one\ntwo\n')
    const prepared = await rig.prepare(
      ['edit', { path: 'a.txt', old_text: 'one', new_text: 'ONE', reason }],
      ['edit', { path: 'a.txt', old_text: 'two', new_text: 'TWO', reason }],
    )
    const [first, second] = prepared.map((read) => (read.kind === 'world' ? read.call : null))
    rig.write('a.txt', 'one\ntwo\nthree\n')
    const renewed = [await first?.renew(), await second?.renew()]
    for (const call of renewed) if (call) expect((await runCall(call)).isOk).toBe(true)
    expect(rig.text('a.txt')).toBe('ONE\nTWO\nthree\n')
  })

  it('does not run over an earlier edit that was refused', async () => {
    const rig = await readRig('a.txt', 'one\ntwo\n')
    const prepared = await rig.prepare(
      ['edit', { path: 'a.txt', old_text: 'one', new_text: 'ONE', reason }],
      ['edit', { path: 'a.txt', old_text: 'two', new_text: 'TWO', reason }],
    )
    const second = prepared[1]
    if (second?.kind !== 'world') throw new Error('not prepared')
    expect((await runCall(second.call)).text).toContain('no longer as')
    expect(rig.text('a.txt')).toBe('one\ntwo\n')
  })
})
