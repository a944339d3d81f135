import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { gateData } from '../../../../tests/fakes/rigs/gate-rig.ts'
import { toolParts } from '../../../../tests/fakes/rigs/tool-rig.ts'
import type { ConsentRule } from '../../../shared/domain/session/consent-rule.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { assessCommand, type CommandAssessment } from '../risk/command-assessment.ts'
import { layersOf } from './command-pattern.ts'
import { allowingRules, refusingRule } from './rules.ts'

const { kinds, lists } = await gateData()
const { shellCheck: shell } = await toolParts()

function look(line: string): Promise<CommandAssessment> {
  return assessCommand({ shell, disk: nodeDisk, kinds, lists }, tempFolder(), {
    line,
    folder: '.',
    isReadOnly: true,
  })
}

function rule(effect: ConsentRule['effect'], pattern: string): ConsentRule {
  return { ruleId: pattern, effect, tool: 'run_command', pattern, scope: 'folder' }
}

describe('a wrapper that adds nothing', () => {
  it.each([
    ...['timeout 60 npm test', 'timeout -k 5 -s INT 1.5m npm test', 'timeout --signal=TERM 60s npm test'],
    ...['nice npm test', 'nice -n 10 npm test', 'nice -n10 npm test', 'nohup npm test', 'command npm test'],
    ...['env npm test', 'env CI=1 NO_COLOR=1 npm test', 'nice timeout 60 env CI=1 npm test'],
    ...['CI=1 npm test', 'LC_ALL=C.UTF-8 timeout 5 npm test', 'time npm test', 'time -p npm test'],
    ...['time CI=1 npm test | cat'],
  ])('is allowed with the command that it runs: %s', async (line) => {
    const found = await look(line)
    const subject = { kind: 'command', ...found } as const
    expect(allowingRules(subject, [rule('allow', 'npm test')])).not.toBeNull()
    expect(found.reasons.map(({ code }) => code)).toEqual(['script'])
    expect(allowingRules(subject, [rule('allow', 'npm run *')])).toBeNull()
  })

  it('may also be allowed as it stands', async () => {
    const subject = { kind: 'command', ...(await look('timeout 60 npm test')) } as const
    expect(allowingRules(subject, [rule('allow', 'timeout 60 npm test')])).not.toBeNull()
  })

  it.each([
    // A variable may name a program, or what is read before it.
    ...['env LD_PRELOAD=./a.so npm test', 'env PATH=. npm test', 'env NODE_OPTIONS=--require=./a npm test'],
    ...['PATH=. npm test', 'NODE_ENV=production npm test', 'CI=$X npm test', 'TZ=../a npm test'],
    ...['env CI=1 PATH=. npm test', 'env -i npm test', 'env -C sub npm test', 'env "$X" npm test'],
    ...['env -S "npm test"', 'command -p npm test', './timeout 5 npm test', '/tmp/env npm test'],
    ...['timeout $X npm test', 'timeout --unknown 5 npm test', 'sudo npm test', 'xargs npm test'],
    ...['time PATH=. npm test', 'time -o out.txt npm test', '"time" npm test', 'cd sub && time npm test'],
    ...['time (npm test; rm a)', 'time if true; then npm test; fi', 'nohup npm test > out.txt'],
    ...['timeout 5', 'env CI=1', 'nohup', 'time'],
  ])('but not what may run something else: %s', async (line) => {
    const subject = { kind: 'command', ...(await look(line)) } as const
    expect(allowingRules(subject, [rule('allow', 'npm test')])).toBeNull()
  })

  it('is no command that only reads', async () => {
    for (const line of ['nohup ls', 'nice ls', 'time ls', 'env ls', 'timeout 5 ls'])
      expect(await look(line)).toMatchObject({ isReadOnly: false, reasons: [{ code: 'command' }] })
  })

  it('leaves a word that is known only when it runs where it is', () => {
    expect(layersOf(['nice', 'touch', null], lists)).toEqual([
      ['nice', 'touch', null],
      ['touch', null],
    ])
  })
})

describe('a rule that denies', () => {
  it.each([
    ...['env rm -rf x', 'env A=1 rm x', 'env -i rm x', 'nice -n 5 rm x', 'timeout 5 rm x', 'nohup rm x &'],
    ...['time rm x', 'time -p rm x', 'command rm x', 'command -p rm x', 'stdbuf -oL rm x', 'sudo -u a rm x'],
    ...['nice timeout 5 env CI=1 /bin/rm x', 'xargs rm < list', 'find . -exec rm {} +', 'busybox rm x'],
    ...["sh -c 'nice rm x'", "env -S 'nice rm x'", "timeout 5 bash -c 'cd a; rm x'", '(time rm x)', '\\rm x'],
    ...['time { rm x; }', 'if true; then nice rm x; fi', 'echo $(env rm x)', 'CI=1 rm x'],
  ])('sees what is behind a wrapper: %s', async (line) => {
    const subject = { kind: 'command', ...(await look(line)) } as const
    expect(refusingRule('deny', subject, [rule('deny', 'rm *')])).toBeDefined()
    const rules = [rule('allow', '*'), rule('ask', 'rm')]
    expect(refusingRule('ask', subject, rules)?.pattern).toBe('rm')
  })
})
