import { expect, it, vi } from 'vitest'
import { sandboxHere, triedDataDir } from '../../fakes/rigs/real-sandbox.ts'
import { approve, calls, noCalls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import type { SessionHost } from '../../fakes/sessions/session-host.ts'
import { editPort, openRoom } from '../../fakes/sessions/speculation-room.ts'

const here = await sandboxHere()
const context = { signal: new AbortController().signal }
const isLong = process.env.TSUGI_SOAK !== undefined
if (isLong) vi.setConfig({ testTimeout: 3_600_000 })

/** A project of Python's own tools alone: a failing test, a formatter, a build, a recorded output. */
const files = {
  '.gitignore': 'build/\n__pycache__/\n',
  'src/app.ts': 'port = 1\n',
  'sum.py': 'def total(items):\n    return 0   \n',
  'use.py': 'from sum import total\nprint(total([1, 2]))\n',
  'test_sum.py':
    'import unittest\nfrom sum import total\nclass Sum(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n',
  'format.py':
    "import glob\nfor name in glob.glob('*.py'):\n    text = open(name).read()\n    clean = '\\n'.join(line.rstrip() for line in text.split('\\n'))\n    if clean != text: open(name, 'w').write(clean)\n",
  'lint.py':
    "import ast, glob\nfor name in sorted(glob.glob('*.py')): ast.parse(open(name).read())\nprint('no problems')\n",
  'build.py':
    "import os\nos.makedirs('build', exist_ok=True)\nopen('build/app.txt', 'w').write(open('sum.py').read())\n",
  'record.py':
    "import subprocess, sys\nout = subprocess.run([sys.executable, 'use.py'], capture_output=True, text=True).stdout\nopen('expected.txt', 'w').write(out)\n",
}

const run = (line: string): Thought => calls(['run_command', { line, reason: 'as asked' }])
const edit = (path: string, from: string, to: string): Thought =>
  calls(['edit', { path, old_text: from, new_text: to, reason: 'as asked' }])
const read = (path: string): Thought => calls(['read_file', { path }])
const test = run('python3 -m unittest -q test_sum')
const fixed = [read('sum.py'), edit('sum.py', 'return 0', 'return sum(items)')] as const

/** What the users of the coding tasks ask for next, most often first, and what a model does for it. */
const suggestions: { text: string; does: readonly Thought[]; changes: readonly string[] }[] = [
  { text: 'run the tests', does: [test], changes: [] },
  { text: 'fix the failing test', does: [...fixed, test], changes: ['sum.py'] },
  { text: 'format the files', does: [run('python3 format.py')], changes: ['sum.py'] },
  { text: 'run the linter', does: [run('python3 lint.py')], changes: [] },
  {
    text: 'rename total to add',
    does: [
      read('sum.py'),
      edit('sum.py', 'def total', 'def add'),
      read('use.py'),
      edit('use.py', 'print(total', 'print(add'),
      run('python3 lint.py'),
    ],
    changes: ['sum.py', 'use.py'],
  },
  {
    text: 'add a test for no items',
    does: [
      calls([
        'write_file',
        { path: 'test_none.py', content: 'import unittest\nfrom sum import total\n', reason: 'as asked' },
      ]),
      test,
    ],
    changes: ['test_none.py'],
  },
  { text: 'build it', does: [run('python3 build.py')], changes: [] },
  { text: 'record the output again', does: [run('python3 record.py')], changes: ['expected.txt'] },
  { text: 'where is total used?', does: [run('grep -rn total .')], changes: [] },
  { text: 'commit that', does: [run('git commit -am fix')], changes: [] },
]
/** It writes by Git, which nothing does before it is asked for. */
const stopping = ['commit that']

type Finding = { text: string; end: string; files: string[] }

async function speculated(texts: readonly (typeof suggestions)[number][], isInCopy: boolean) {
  const prepare = async ({ app, workId }: SessionHost): Promise<void> => {
    await app.api['sandbox.get']({ workId, isTriedAgain: false }, context)
    await app.api['sandbox.set']({ workId, isOn: isInCopy }, context)
  }
  const work = (does: readonly Thought[]): Thought[] => [
    workIn('PLANNING'),
    read('src/app.ts'),
    plan('do it'),
    workIn('EXECUTION'),
    ...does,
    noCalls,
    approve,
  ]
  const { host, mind, speculations } = await openRoom([...editPort(), approve], {
    files,
    prepare,
    dataDir: triedDataDir(),
  })
  const isOver = expect.stringMatching(/^(?:completed|boundary)$/)
  await speculations.reject(await speculations.becomes({ phase: isOver }))
  await speculations.gone()
  const found: Finding[] = []
  for (const { text, does } of texts) {
    mind.left.length = 0
    mind.think({ decide: {} }, { say: 'Done.' }, ...work(does))
    mind.suggest(text)
    await host.say('and now?')
    await host.rest()
    const link = await speculations.becomes({ text, phase: isOver })
    const end = link.boundary === null ? 'complete' : `stops: ${link.boundary.kind}`
    found.push({ text, end, files: link.files.map(({ path }) => path) })
    await speculations.reject(link)
    await speculations.gone()
  }
  return found
}

const share = (found: readonly Finding[]): string =>
  `${found.filter(({ end }) => end === 'complete').length} of ${found.length}`

it.skipIf(here.kind === 'none')('the usual suggestions are complete before they are asked for', async () => {
  const played = isLong ? suggestions : suggestions.filter(({ text }) => /fix|format|commit/.test(text))
  // A session of its own for each half keeps the conversation short.
  const inHalves = async (isInCopy: boolean): Promise<Finding[]> => [
    ...(await speculated(played.slice(0, 5), isInCopy)),
    ...(played.length > 5 ? await speculated(played.slice(5), isInCopy) : []),
  ]
  const inCopy = await inHalves(true)
  const ended = played.map(({ text, changes }) => ({
    text,
    end: stopping.includes(text) ? 'stops: git' : 'complete',
    files: [...changes],
  }))
  expect(inCopy.map((one) => ({ ...one, end: one.end.replace(/^stops: .*/, 'stops: git') }))).toEqual(ended)
  if (!isLong) return
  const before = await inHalves(false)
  const rows = played.map(({ text }, at) => ({
    suggestion: text,
    'commands stop it': before[at]?.end,
    'commands in a copy': inCopy[at]?.end,
  }))
  console.table(rows)
  console.log(`complete before Tab: ${share(before)} before, ${share(inCopy)} with commands in a copy`)
  expect(before.filter(({ end }) => end === 'complete').map(({ text }) => text)).toEqual([
    'where is total used?',
  ])
})
