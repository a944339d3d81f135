import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './tests/fakes/disks/memory-folder.ts'

const inMemory = memoryFolder()
/** To the gates what lies under `/dev` is no folder as any other, and what is in memory lies there. */
const gates = 'src/main/gates/**/*.test.ts'

/** Small files that take seconds. Files are ordered by size where no earlier run has told their time. */
const slow = /\/(forced-end|killed-host|lost-model|unclean-end|walls-undo)\.test\.ts$/

/** First the tests that start hosts and children, so that what runs last is short and no core waits for another. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      (project.name === 'code' ? 2 : 0) + (slow.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    // Two more than the two cores that the suite is measured on: tests wait for disks, servers and children a quarter of
    // their time.
    maxWorkers: 4,
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
      // Hosts ask the login shell for its environment: a developer's reads their start files for each host, which takes
      // 0.15 seconds of processor time with pyenv, and a second on a busy machine.
      SHELL: '/bin/sh',
      // Commands leave behind what they leave behind for most users: containers often switch Python's compiled files off.
      PYTHONDONTWRITEBYTECODE: '',
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['src/**/*.test.{ts,tsx}', 'electron/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [gates],
          ...(inMemory === undefined ? {} : { env: { TMPDIR: inMemory } }),
        },
      },
      {
        extends: true,
        test: {
          // What these write lies on the disk. One project, since each has processes of its own, in which a whole app
          // is loaded again: four seconds of the processor's time for each.
          name: 'disk',
          include: [gates, 'tests/{contract,architecture,integration,oracle,faults}/**/*.test.ts'],
          globalSetup: 'tests/faults/support/built-app.ts',
        },
      },
    ],
  },
})
