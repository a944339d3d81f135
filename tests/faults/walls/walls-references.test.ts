/** Files that a message names by `@path`: some change between the question and the reading; names of all kinds. */
import { execFileSync } from 'node:child_process'
import { linkSync, renameSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { secretFiles } from '../../../src/main/gates/risk/folder-assessment.ts'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { chosenEncodings } from '../../../src/main/references/read-reference.ts'
import { type ResolveInput, resolveReferences } from '../../../src/main/references/resolve-references.ts'
import type { ToolOperations } from '../../../src/main/tools/tool-operations.ts'
import { gateData } from '../../fakes/rigs/gate-rig.ts'
import { type ToolRig, toolRig } from '../../fakes/rigs/tool-rig.ts'

const secret = 'TOKEN=do-not-send-this'

/** Creates a folder with a secret; `act` runs after all questions and before the first file is read. */
async function folder(act: (root: string) => void = () => undefined) {
  let isDone = false
  const rig: ToolRig = await toolRig({
    wrap: (real): ToolOperations => ({
      ...real,
      read: (path, limit, lookups) => {
        if (!isDone) act(rig.root)
        isDone = true
        return real.read(path, limit, lookups)
      },
    }),
  })
  rig.write('.env', secret)
  rig.write('notes.md', 'harmless')
  return rig
}

async function sent(rig: ToolRig, text: string, answers: ResolveInput['answers'] = {}): Promise<string> {
  const { kinds } = await gateData()
  const found = await resolveReferences([{ kind: 'text', text }], {
    encodings: chosenEncodings({ get: () => undefined, set: () => undefined }),
    operations: rig.operations,
    images: async () => null,
    openText: async () => undefined,
    isSecret: secretFiles(nodeDisk, kinds, rig.root),
    answers,
    budget: async () => ({ contextTokens: null, count: async (all) => all.length, limitBytes: 16_384 }),
  })
  return found.files.map(({ file }) => `${file.state}: ${file.text}`).join('\n')
}

/** Returns the sent text, or the code of the question. */
const told = (rig: ToolRig, text: string) =>
  sent(rig, text).catch((error: { info?: { code: string } }) => error.info?.code ?? String(error))

describe('a named file that is another when it is read', () => {
  const swaps: [string, (root: string) => void][] = [
    [
      'a link to a secret',
      (root) => {
        unlinkSync(join(root, 'notes.md'))
        symlinkSync('.env', join(root, 'notes.md'))
      },
    ],
    [
      'another name of a secret',
      (root) => {
        unlinkSync(join(root, 'notes.md'))
        linkSync(join(root, '.env'), join(root, 'notes.md'))
      },
    ],
    [
      'a link in the place of its folder, to one with a secret',
      (root) => {
        renameSync(join(root, 'sub'), join(root, 'old'))
        symlinkSync('keys', join(root, 'sub'))
      },
    ],
  ]
  it.each(swaps)('is not sent where it became %s', async (_what, swap) => {
    const rig = await folder(swap)
    rig.write('sub/id_rsa.md', 'harmless')
    rig.write('keys/id_rsa.md', 'harmless')
    unlinkSync(join(rig.root, 'keys/id_rsa.md'))
    linkSync(join(rig.root, '.env'), join(rig.root, 'keys/id_rsa.md'))
    expect(await told(rig, 'read @notes.md and @sub/id_rsa.md')).not.toContain('do-not-send')
  })

  it('is not waited for where it became a pipe', async () => {
    const rig = await folder((root) => {
      unlinkSync(join(root, 'notes.md'))
      execFileSync('mkfifo', [join(root, 'notes.md')])
    })
    expect(await told(rig, 'read @notes.md')).toBe('io: ')
  })
})

describe('names of all kinds', () => {
  const hidden = [
    '.env',
    './.env',
    './/.env',
    '".env"',
    '.ENV',
    '.env~',
    '"id_rsa"',
    '.env#L1',
    '.git/objects/ab/cd.x',
  ]
  it.each(hidden)('ask before @%s is sent', async (name) => {
    const rig = await folder()
    rig.write('sub/a', '')
    for (const one of ['.ENV', '.env~', 'id_rsa', '.git/objects/ab/cd.x']) rig.write(one, secret)
    expect(await told(rig, `read @${name} now`)).toMatch(/^(?:reference\/secret|not-found: )$/)
  })

  it.each([
    '../outside.md',
    '/etc/passwd',
    '~/.ssh/id_rsa',
    'sub/../../outside.md',
    '..\\outside.md',
    'a\0b',
    '\ud800.md',
    '%2e%2e/outside.md',
    'x'.repeat(5_000),
    `${'a/'.repeat(3_000)}b`,
  ])('send nothing from outside: %j', async (name) => {
    const rig = await folder()
    writeFileSync(join(rig.root, '../outside.md'), secret)
    expect(await told(rig, `read @${name} and @"${name}"`)).not.toMatch(/do-not-send|root:/)
  })

  it('are answered in time where there are a thousand, of which each is a secret by its inode', async () => {
    const rig = await folder()
    for (let at = 0; at < 1_000; at++) linkSync(join(rig.root, '.env'), join(rig.root, `n${at}.md`))
    const names = Array.from({ length: 1_000 }, (_, at) => `@n${at}.md`).join(' ')
    const started = performance.now()
    expect(await told(rig, names)).toBe('reference/secret')
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('are answered in time where one text has fifty thousand that name nothing', async () => {
    const rig = await folder()
    const started = performance.now()
    await told(rig, '@@a@b/@'.repeat(50_000))
    await told(rig, `@${'あ'.repeat(50_000)}`)
    await told(rig, `@${'"'.repeat(50_000)}`)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

describe('files of all kinds', () => {
  it('are not read where they claim to be huge, and no half of a character is sent', async () => {
    const rig = await folder()
    rig.write('big.md', '')
    truncateSync(join(rig.root, 'big.md'), 5_000_000_000)
    rig.write('cut.md', Buffer.from('あいう').subarray(0, 8))
    rig.write('half.md', Buffer.from([0xff, 0xfe, 0x3d, 0xd8]))
    rig.write('odd.md', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42]))
    rig.write('long.md', '😀'.repeat(10_000))
    const all = await told(rig, '@big.md @cut.md @half.md @odd.md @long.md')
    expect(all).toContain('io: ')
    expect(all).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
    expect(all.length).toBeLessThan(20_000)
  })
})
