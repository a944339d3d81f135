import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { lineReasons } from '../../gates/risk/command-assessment.ts'
import { riskReport } from '../../gates/risk/risk.ts'
import { createShellCheck } from './create-shell-check.ts'
import { isRefusal } from './programs/read-options.ts'

const check = await createShellCheck(fileURLToPath(new URL('../../../../resources/', import.meta.url)))

/** Returns the level, which the gate decides, and the codes of the line's own risks. */
async function risk(source: string): Promise<[string, string[]]> {
  const line = await check.read(source)
  const { level } = riskReport(lineReasons(check, line, !isRefusal(check.readOnly(line))))
  return [level, [...new Set(check.risks(line).map(({ code }) => code))]]
}

describe('the risk of a line', () => {
  it.each([
    ['rm -rf build', ['deletion']],
    ['/bin/rm a', ['deletion', 'runs-script']],
    ['ls && rm a', ['deletion']],
    ['find . -delete', ['deletion']],
    ['git clean -fdx', ['deletion']],
    ['git -C lib branch -D old', ['deletion']],
    ['git push --force', ['destructive', 'network']],
    ['git -c a=b push origin', ['network']],
    ['git reset --hard', ['destructive']],
    ['dd if=/dev/zero of=/dev/sda', ['destructive']],
    ['mkfs.ext4 /dev/sda1', ['destructive']],
    ['chmod -vR 777 .', ['destructive']],
    ['ls > /dev/sda', ['destructive']],
    ['curl https://example.com', ['network']],
    ['curl.exe x', ['network']],
    ['npm install left-pad', ['network', 'runs-script']],
    ['npm --prefix x ci', ['network', 'runs-script']],
    ['sudo ls', ['privileged']],
    ['sudo -u root rm a', ['deletion', 'privileged']],
    ['timeout 5 rm a', ['deletion']],
    ['env A=1 rm a', ['deletion']],
    ['ls | xargs rm', ['deletion', 'unparsed']],
    ["sh -c 'ls'", ['unparsed']],
    ["timeout 5 bash -c 'ls'", ['unparsed']],
    ['eval "$X"', ['unparsed']],
    ['$CMD a', ['unparsed']],
    ["python3 -c 'print(1)'", ['runs-script', 'unparsed']],
    ["perl -pe 's/a/b/' a", ['runs-script', 'unparsed']],
    ["awk '{system($1)}' a", ['unparsed']],
    ['echo $(ls)', ['unparsed']],
    ["ls 'open", ['unparsed']],
    ['for f in *; do rm $f; done', ['deletion', 'unparsed']],
  ])('is high for %s', async (line, codes) => {
    const [level, found] = await risk(line)
    expect(level).toBe('high')
    expect(found).toEqual(expect.arrayContaining(codes))
    expect(found).toHaveLength(codes.length)
  })

  it.each([
    ['npm test', ['runs-script']],
    ['make', ['runs-script']],
    ['./build.sh', ['runs-script']],
    ['echo a > b', ['writes-file']],
    ['sed -i s/a/b/ f', ['not-read-only']],
    ['mkdir a', ['not-read-only']],
    ['git commit -m x', ['not-read-only']],
    ['git log -f', ['not-read-only']],
    ['echo a 2>/dev/null 1>&2; touch a', ['not-read-only']],
  ])('is medium for %s', async (line, codes) => {
    expect(await risk(line)).toEqual(['medium', codes])
  })

  it('is low, without reasons, for what only reads', async () => {
    expect(await risk('git log | grep rm')).toEqual(['low', []])
    expect(await risk('cat a > /dev/null')).toEqual(['low', []])
  })
})

describe('what no rule can see into', () => {
  const isOpaque = async (source: string) => (await check.read(source)).commands.some(check.isOpaque)

  it.each([
    ...['sh -c ls', 'eval ls', 'ls | xargs cat', '. a', 'sudo sh a', '$A b', 'node -e 1', 'env bash a'],
    // Programs, or program text, in the arguments of other programs.
    ...[
      'git bisect run make',
      'git submodule foreach make',
      'git difftool -x make HEAD',
      'git grep -Omake x',
    ],
    ...['git rebase --exec make main', 'git init --template=hooks', 'go test -exec make ./...'],
    ...['go vet -vettool=make ./...', 'npm test --script-shell=x', 'npm explore a -- make', 'deno eval 1'],
    ...['cargo test --config=a', 'gradle -I a.gradle test', './gradlew --init-script a test', 'mix eval x'],
    ...['yarn node -e 1', 'stack exec -- sh a', 'git apply a.patch', 'patch -p1 < a.patch', 'ed a'],
    // Program text without a space after its option, and a whole line in one word.
    ...["python3 -c'import os' a", 'perl -ne"print 1" a', "ruby -e'puts 1' a", 'node --eval=1+1 a'],
    ...["env -S 'rm -rf a'", "env -S'rm -rf a'", "env --split-string='rm a'", "nice env -vS 'rm a'"],
    // Program text on the standard input.
    ...['echo x | python3', 'python3 - < a', 'node <<E\nx\nE', 'cat a | perl', 'sqlite3 < a.sql'],
  ])('%s', async (line) => expect(await isOpaque(line)).toBe(true))

  it.each([
    ...['npm test', 'node a.js', 'sudo ls', 'git commit -m eval', 'python3 -m pytest', 'node --version'],
    ...['node --test', 'node --enable-source-maps --test', 'python3 -mpytest', 'env A=1 npm test'],
    ...['git switch -c x', 'git branch -x', 'cat a | python3 a.py', 'sqlite3 a.db .tables', 'go test ./...'],
  ])('but not %s', async (line) => expect(await isOpaque(line)).toBe(false))
})

describe('what another program runs', () => {
  it.each(['pnpm exec rm a', 'bundle exec rm a', 'poetry run rm a', 'yarn exec -- rm a'])(
    'is as risky as by itself: %s',
    async (line) => expect((await risk(line))[1]).toContain('deletion'),
  )
})
