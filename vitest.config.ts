import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './tests/fakes/disks/memory-folder.ts'

const inMemory = memoryFolder()

/** Files that mostly wait: for servers that are silent, for children that end, for locks. */
const waiting =
  /\/(command-faults|command-sandbox|database|document-service|endless-drafts|fake-kobold|fake-llama-server-faults|file-watcher|forced-end|identify-server|kobold-client|lost-model|model-conformance|models|openai-faults|own-server-faults|process-group|sandbox-plants|session-kobold|session-model|setup|slow-reader|speculation-writing|submit-hooks|summaries-slice|summary-killed|takes-together|unclean-end|windows-on-one-file)\.test\.ts$/

/**
 * First the tests of whole apps, so that what runs last is short. Files that mostly wait are spread over the run: side by
 * side they would leave the cores idle.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const idle = sorted.filter(({ moduleId }) => waiting.test(moduleId))
    const busy = sorted.filter(({ moduleId }) => !waiting.test(moduleId))
    const isOfApps = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/tests/')
    // For each byte, tests of whole apps take about five times as much of the processor's time as others.
    const cost = (file: TestSpecification): number => statSync(file.moduleId).size * (isOfApps(file) ? 5 : 1)
    const ordered = [...busy.filter(isOfApps), ...busy.filter((file) => !isOfApps(file))]
    const each = ordered.reduce((sum, file) => sum + cost(file), 0) / idle.length
    let sum = 0
    const spread = ordered.flatMap((file) => {
      const due = idle.splice(0, Math.ceil((sum + cost(file)) / each) - Math.ceil(sum / each))
      sum += cost(file)
      return [...due, file]
    })
    return [...spread, ...idle]
  }
}

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    // Three more than the two cores that the suite is measured on: tests wait for disks, servers and children a quarter of
    // their time.
    maxWorkers: 5,
    // Node copies the page tables of the whole process for each child that it starts, 3,000 times in a run. A smaller
    // young generation makes the process a third smaller.
    execArgv: ['--max-semi-space-size=8'],
    sequence: { sequencer: LongestFirst },
    // A process for each worker, not for each file: starting one and loading the modules again took half of the
    // processor's time. So a test file leaves nothing behind: no global, listener, clock or variable of the environment.
    isolate: false,
    // These limits only end what hangs: a busy machine may be ten times as slow as the one that the suite is measured
    // on. No test has a shorter limit of its own for what it waits for.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    hookTimeout: 300_000,
    testTimeout: 300_000,
    env: {
      // Hosts and engines that tests start from the sources are compiled once, not at each start.
      NODE_COMPILE_CACHE: resolve(import.meta.dirname, '.cache/compiled'),
      // Hosts ask the login shell for its environment, and use their own where there is none. A developer's shell reads
      // their start files for each host, which takes 0.15 seconds of processor time with pyenv.
      SHELL: '',
      // Commands leave behind what they leave behind for most users: containers often switch Python's compiled files off.
      PYTHONDONTWRITEBYTECODE: '',
      // What tests write lies in memory, unless they say `placeOnDisk`: the disk takes a tenth of the processor's time.
      ...(inMemory === undefined ? {} : { TMPDIR: inMemory, TSUGI_TEST_DISK: tmpdir() }),
    },
    include: [
      '{src,electron,scripts}/**/*.test.{ts,tsx}',
      'tests/{contract,architecture,integration,oracle,faults}/**/*.test.ts',
    ],
    globalSetup: 'tests/faults/support/built-app.ts',
  },
})
