/** Starting the app: until its link is printed, and what it holds in memory then. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureBuild } from '../scripts/setup/build.mjs'
import { readWords } from '../scripts/setup/words.mjs'
import { startHost, startNode, stopProcess } from './host-process.ts'
import { temporaryFolder } from './model-files.ts'
import { type BenchOptions, comparisonTable, type Report } from './report.ts'
import { median, processorMs, residentMb } from './timing.ts'

/** Time after which the host has finished the work that follows the printing of its link. */
const settleMs = 1_500
const bareNode = ['-e', "console.log('ready'); setInterval(() => undefined, 60_000)"]

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  await ensureBuild(readWords(), process.execPath)
  const times = isQuick ? 3 : 11
  const used = temporaryFolder()
  const [first, again, bare] = [empty(), empty(), empty()]
  // In turns, so that other load of the machine affects all three alike.
  for (let i = 0; i < times; i++) {
    await take(bare, () => startNode(bareNode))
    // The one that starts sooner after another host finds more of its files in memory, so they change places.
    const hosts = [() => take(first, () => startHost()), () => take(again, () => startHost(used))]
    for (const next of i % 2 === 0 ? hosts : hosts.toReversed()) await next()
  }
  return {
    title: 'Starting the host',
    about: [
      `Baseline: a bare \`node -e\` that prints a line and stays, started in turns with the host. Ready: from the start of the process to its first line; memory: resident, ${settleMs / 1000} s later, no window, no engine. The middle of ${times} starts.`,
    ],
    tables: [
      comparisonTable('The web host', 'bare Node', [
        {
          measure: 'ready, fresh data folder',
          unit: 'ms',
          value: median(first.readyMs),
          baseline: median(bare.readyMs),
          goal: { mostTimes: 6 },
        },
        {
          measure: 'ready, data folder in use',
          unit: 'ms',
          value: median(again.readyMs),
          baseline: median(bare.readyMs),
          goal: { mostTimes: 6 },
        },
        {
          measure: 'processor time until then',
          unit: 'ms',
          value: median(again.processorMs),
          baseline: median(bare.processorMs),
        },
        {
          measure: 'memory without engine',
          unit: 'MB',
          value: median(again.memoryMb),
          baseline: median(bare.memoryMb),
          goal: { most: 100 },
        },
      ]),
    ],
  }
}

type Series = { readyMs: number[]; processorMs: number[]; memoryMb: number[] }

function empty(): Series {
  return { readyMs: [], processorMs: [], memoryMb: [] }
}

async function take(series: Series, start: () => ReturnType<typeof startHost>): Promise<void> {
  const started = await start()
  series.readyMs.push(started.readyMs)
  series.processorMs.push(await processorMs(started.child.pid ?? 0))
  await sleep(settleMs)
  series.memoryMb.push(await residentMb(started.child.pid ?? 0))
  await stopProcess(started)
}
