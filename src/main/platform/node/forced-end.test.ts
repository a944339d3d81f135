import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const module = JSON.stringify(join(import.meta.dirname, 'forced-end.ts'))

/** Short, since a blocked process uses a whole core until it is killed. */
const soon = { orderlyMs: 60_000, lastMs: 300 }

/** Returns how a process ends that is to be ended and then runs `more`. */
async function endOf(more: string, limits?: typeof soon): Promise<unknown[]> {
  const args = `{ write: (...told) => console.log(told[1]) }, ${JSON.stringify(limits)}`
  const begin = `import { forceEnd } from ${module}; forceEnd(${args});`
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${begin}${more}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (data) => {
    output += String(data)
  })
  return [...(await once(child, 'close')), output.trim()]
}

it('ends a process whose event loop never turns again', async () => {
  expect(await endOf('for (;;) {}', soon)).toEqual([null, 'SIGKILL', ''])
})

it('ends a process whose promises keep timers waiting', async () => {
  const endless = 'const on = () => Promise.resolve().then(on); on()'
  expect(await endOf(endless, soon)).toEqual([null, 'SIGKILL', ''])
})

it('ends a process that hangs in an orderly way first', async () => {
  expect(
    await endOf('process.once("exit", () => console.log("exit")); setInterval(() => {}, 60_000)'),
  ).toEqual([null, 'SIGKILL', 'host.end-forced\nexit'])
})

it('keeps no process that ends by itself', async () => {
  expect(await endOf('')).toEqual([0, null, ''])
})
