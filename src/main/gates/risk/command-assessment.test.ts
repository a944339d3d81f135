import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placeOnDisk } from '../../../../tests/fakes/disks/on-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { gateData } from '../../../../tests/fakes/rigs/gate-rig.ts'
import { toolParts } from '../../../../tests/fakes/rigs/tool-rig.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { assessCommand, type CommandAssessment } from './command-assessment.ts'

placeOnDisk()

const { kinds, lists } = await gateData()
const { shellCheck: shell } = await toolParts()

const files = [
  'README.md',
  'src/a.ts',
  'src/deep/b.ts',
  'docs/x.md',
  '.env',
  'package.json',
  'node_modules/m/k.pem',
]

function project(): string {
  const outer = tempFolder()
  const root = join(outer, 'project')
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), 'x\n')
  }
  writeFileSync(join(outer, 'secret.txt'), 'outside\n')
  writeFileSync(join(root, '.ignore'), 'node_modules/\n')
  symlinkSync(outer, join(root, 'out'))
  symlinkSync(join(root, '.env'), join(root, 'notes.txt'))
  symlinkSync(join(outer, 'not-there'), join(root, 'dangling'))
  return root
}

type Options = { folder?: string; isReadOnly?: boolean; root?: string }

async function look(line: string, options: Options = {}): Promise<CommandAssessment> {
  const { root = project(), folder = '.', isReadOnly = true } = options
  return assessCommand({ shell, disk: nodeDisk, kinds, lists }, root, { line, folder, isReadOnly })
}

async function codes(line: string, options?: Options): Promise<string[]> {
  const { reasons } = await look(line, options)
  return [...new Set(reasons.map(({ code }) => code))].sort()
}

describe('a command that only reads, inside', () => {
  it.each([
    ...['cat README.md', 'ls -la', 'ls src && cat src/a.ts', 'wc -l src/*.ts', 'head -5 src/../README.md'],
    ...['cd src && cat a.ts', 'grep -n x README.md docs/x.md', 'cat *.md'],
    ...['grep -rn x src', 'rg x', 'find . -name "*.ts"', 'cat not-there-yet.md', 'pwd', 'echo "$HOME"'],
    ...['cat < README.md', 'ls 2>/dev/null'],
  ])('carries nothing to ask about: %s', async (line) => {
    const found = await look(line)
    expect(found.reasons).toEqual([])
    expect(found).toMatchObject({ isReadOnly: true, toAllow: [] })
  })

  it.each([
    ['cat ../secret.txt', 'outside'],
    ['cat /etc/passwd', 'outside'],
    ['cat out/secret.txt', 'outside'],
    ['cat dangling', 'outside'],
    ['cd out && cat secret.txt', 'outside'],
    ['cat src/../../secret.txt', 'outside'],
    ['head < ../secret.txt', 'outside'],
    // Where the `cd` fails it is another file.
    ['cd src && cat ../README.md', 'outside'],
    ['cat .env', 'secret'],
    ['cd src && cat ../.env', 'secret'],
    ['cat notes.txt', 'secret'],
    ['cat .e*', 'secret'],
    ['grep -r x .', 'secret'],
    ['rg --hidden x', 'secret'],
    ['rg -uuu x', 'secret'],
    ['git show HEAD:.env', 'secret'],
    ['cat "$FILE"', 'unparsed'],
  ])('is asked about: %s (%s)', async (line, code) => {
    const found = await look(line)
    const all = found.reasons.map((reason) => reason.code)
    // What the check itself refuses comes with a reason of its own.
    expect(found.isReadOnly ? all : [...all, 'unparsed']).toContain(code)
  })

  it('reads the contents that version control keeps only where binary files are left out', async () => {
    const root = tempFolder()
    const object = `.git/objects/ab/${'c'.repeat(38)}`
    for (const path of ['src/a.ts', '.git/HEAD', '.git/refs/heads/x', object]) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), 'x')
    }
    const inside = (line: string): Promise<string[]> => codes(line, { root })
    for (const line of ['grep -rn x .', 'rg --hidden x', 'find . -exec grep x {} +']) {
      expect([line, await inside(line)]).toEqual([line, []])
    }
    for (const line of [
      `cat ${object}`,
      'cat .git/objects/*/*',
      'grep -ra x .',
      'find . -exec grep -a x {} +',
    ]) {
      expect([line, await inside(line)]).toEqual([line, ['secret']])
    }
    expect(await inside('rg -uua x')).toEqual(['secret'])
    expect(await inside('ls .git/objects/ab')).toEqual([])
  })

  it('is asked about where a folder has more names than are looked at', async () => {
    const root = tempFolder()
    mkdirSync(join(root, 'deep/er'), { recursive: true })
    for (let at = 0; at < 8; at += 1) writeFileSync(join(root, `deep/er/${at}.txt`), 'x')
    linkSync(join(root, 'deep/er/0.txt'), join(root, 'twin.txt'))
    const within = async (line: string, limitEntries: number): Promise<string[]> => {
      const deps = { shell, disk: nodeDisk, kinds, lists, limitEntries }
      const { reasons } = await assessCommand(deps, root, { line, folder: '.', isReadOnly: true })
      return reasons.map(({ code, detail }) => `${code} ${detail}`)
    }
    // Eleven entries: two folders, eight files, and a hard link to one of them.
    for (const line of ['grep -r x .', 'rg x .']) {
      expect([line, await within(line, 11)]).toEqual([line, []])
      expect([line, await within(line, 10)]).toEqual([line, ['unparsed .']])
    }
    expect(await within('cat twin.txt', 11)).toEqual([])
    expect(await within('cat twin.txt', 10)).toEqual(['unparsed twin.txt'])
    expect(await within('cat deep/er/1.txt', 10)).toEqual([])
  })

  it('is asked about where the command behind `-exec` reads another folder as a whole', async () => {
    for (const inner of ['rg -uu x .', 'grep -r x node_modules', 'grep -rh x docs .', 'egrep -d recurse x .'])
      expect([inner, await codes(`find src -exec ${inner} {} +`)]).toEqual([inner, ['secret']])
    expect(await codes('find src -exec grep -R x docs {} +')).toEqual(['unparsed'])
    expect(await codes('find src -exec grep -r x docs {} +')).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'is asked about where a folder holds names that cannot be looked up as they are written',
    async () => {
      const root = project()
      const bytes = (path: string): Buffer => Buffer.from(path, 'latin1')
      mkdirSync(bytes(join(root, 'odd/folder\xff')), { recursive: true })
      writeFileSync(bytes(join(root, 'odd/folder\xff/.env')), 'x\n')
      mkdirSync(join(root, 'linked'))
      linkSync(join(root, '.env'), bytes(join(root, 'linked/\xff.txt')))
      // A command goes down folder by folder, and meets no limit of paths.
      const deep = join(root, 'long')
      for (let at = deep, level = 0; level < 8; level += 1, at = join(at, 'd'.repeat(200)))
        mkdirSync(at, { recursive: true })
      for (const line of ['grep -r x odd', 'rg -uu x odd', 'find odd -exec grep x {} +', 'grep -r x linked'])
        expect([line, await codes(line, { root })]).toEqual([line, ['unparsed']])
      for (const line of ['grep -r x long', 'rg x long', 'diff long src'])
        expect([line, await codes(line, { root })]).toEqual([line, ['unparsed']])
      expect(await codes('grep -r x src', { root })).toEqual([])
    },
  )

  it('is asked about where a file with several names is read and the folder is too large to compare it', async () => {
    const root = project()
    linkSync(join(root, 'README.md'), join(root, 'docs/y.md'))
    const command = { line: 'grep -r x docs', folder: '.', isReadOnly: true }
    const deps = { shell, disk: nodeDisk, kinds, lists, limitEntries: 3 }
    expect((await assessCommand(deps, root, command)).reasons.map(({ code }) => code)).toEqual(['unparsed'])
    const other = { ...command, line: 'grep -r x src/deep' }
    expect((await assessCommand(deps, root, other)).reasons).toEqual([])
  })

  it('is looked at from the folder in which it runs', async () => {
    expect(await codes('cat ../README.md', { folder: 'src' })).toEqual([])
    expect(await codes('cat ../../secret.txt', { folder: 'src' })).toContain('outside')
    expect(await codes('cat ../.env', { folder: 'src' })).toContain('secret')
  })

  it('does not only read where whoever runs it says so', async () => {
    const found = await look('git status', { isReadOnly: false })
    expect(found.isReadOnly).toBe(false)
    expect(found.toAllow).toEqual([[['git', 'status']]])
    expect(found.reasons.map(({ code }) => code)).toEqual(['command'])
  })
})

describe('a command that does more', () => {
  it.each([
    ['npm test', ['script']],
    ['touch new.md', ['command']],
    ['rm README.md', ['deletion']],
    ['npm install left-pad', ['network', 'script']],
    ['git push', ['network']],
    ['sudo make', ['privileged', 'script']],
    ['sh -c "ls"', ['opaque']],
    ['echo $(date)', ['unparsed']],
    ['echo "unclosed', ['unparsed']],
    ['cp README.md ../x.md', ['command', 'outside']],
    ['cp README.md /tmp/x.md', ['command', 'outside']],
    ['echo x > out/new.txt', ['command', 'outside']],
    ['echo x >> .git/hooks/pre-commit', ['command', 'protected']],
    ['sed -i s/a/b/ package.json', ['command', 'protected']],
    ['cp .env backup', ['command', 'secret']],
    ['cp notes.txt backup', ['command', 'secret']],
    ['touch --reference=/etc/passwd x', ['command', 'outside']],
    ['tar -f../x.tar -c src', ['command', 'outside']],
    ['touch "$HOME/x"', ['command', 'unparsed']],
    ['touch ~/x', ['command', 'unparsed']],
    ['cd $DIR && touch x', ['command', 'unparsed']],
    ['mv src/*.ts docs', ['command']],
  ])('says why: %s', async (line, wanted) => {
    const found = await codes(line)
    for (const code of wanted) expect(found).toContain(code)
    if (!wanted.includes('outside')) expect(found).not.toContain('outside')
    if (!wanted.includes('secret')) expect(found).not.toContain('secret')
  })

  it('asks for leave for what does not only read', async () => {
    const found = await look('cd src && npm test 2>&1 | tail -20', { isReadOnly: false })
    expect(found.toAllow).toEqual([[['npm', 'test']]])
    expect(found.parts).toEqual(['cd src', 'npm test 2>&1', 'tail -20'])
  })

  it.each([
    'npm test > out.txt',
    'A=1 npm test',
    'sh -c "npm test"',
    'for x in 1; do npm test; done',
    'npm test "',
  ])('cannot be allowed by a pattern: %s', async (line) => expect((await look(line)).toAllow).toBeNull())

  it('is seen through to the commands inside of it', async () => {
    const { commands } = await look(`bash -c 'cd x && sh -c "git push origin"'`)
    expect(commands).toContainEqual(['git', 'push', 'origin'])
    expect((await look('if true; then git push; fi')).commands).toContainEqual(['git', 'push'])
    expect((await look('echo $(git push)')).commands).toContainEqual(['git', 'push'])
    for (const line of [`env -S 'git push'`, `env -S'git push'`, `env --split-string='git push'`])
      expect((await look(line)).commands).toContainEqual(['git', 'push'])
  })

  it('may begin by going to the folder itself, by its whole path', async () => {
    const root = project()
    const found = await look(`cd ${root} && npm test && cat README.md`, { root, isReadOnly: false })
    expect(found.toAllow).toEqual([[['npm', 'test']]])
    expect(found.reasons.map(({ code }) => code)).toEqual(['script'])
  })

  it('names the paths that it is about, as written and as they are', async () => {
    const { paths } = await look('cp src/../notes.txt docs/y.md')
    expect(paths).toEqual(expect.arrayContaining(['notes.txt', '.env', 'docs/y.md']))
  })
})
