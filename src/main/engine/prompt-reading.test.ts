import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { createPromptReading, stepTokens } from './prompt-reading.ts'

const never = new AbortController().signal
const tokens = (count: number) => Array.from({ length: count }, (_, index) => index as Token)

/** A sequence whose steps last as long as the number of threads makes them. */
function stage(msOf: (threads: number) => number, threads = { all: 2, usual: 1 }, coldMs = 0) {
  const llama = { maxThreads: 0 }
  let now = 0
  const used: number[] = []
  const read: Token[] = []
  const sequence = {
    nextTokenIndex: 0,
    async evaluateWithoutGeneratingNewTokens(step: readonly Token[]) {
      used.push(llama.maxThreads)
      read.push(...step)
      now += msOf(llama.maxThreads) + (used.length === 1 ? coldMs : 0)
    },
  }
  const reading = createPromptReading(llama, threads, () => now)
  return { llama, used, read, sequence, reading }
}

async function steps(of: AsyncIterable<number>, from = Infinity, abort?: AbortController): Promise<number[]> {
  const shares: number[] = []
  for await (const share of of) if (shares.push(share) >= from) abort?.abort()
  return shares
}

describe('reading a prompt', () => {
  it('takes every core where that is faster, and the usual threads for what follows', async () => {
    // The first step reads the model from the disk as well, so that it tells nothing.
    const { llama, used, read, sequence, reading } = stage((threads) => 100 / threads, undefined, 1_000)
    const prompt = tokens(stepTokens * 5 + 7)
    expect(await steps(reading.read(sequence, prompt, never))).toHaveLength(6)
    expect(used).toEqual([2, 2, 1, 2, 2, 2])
    expect(read).toEqual(prompt)
    expect(llama.maxThreads).toBe(1)
  })

  it('takes the usual threads where other programs make every core slower', async () => {
    const { used, sequence, reading } = stage((threads) => (threads === 2 ? 300 : 100))
    await steps(reading.read(sequence, tokens(stepTokens * 5), never))
    expect(used).toEqual([2, 2, 1, 1, 1])
  })

  it('follows the machine from prompt to prompt', async () => {
    let isBusy = true
    const { used, sequence, reading } = stage((threads) => (threads === 2 ? (isBusy ? 300 : 50) : 100))
    await steps(reading.read(sequence, tokens(stepTokens * 4), never))
    isBusy = false
    used.length = 0
    await steps(reading.read(sequence, tokens(stepTokens * 40), never))
    const change = used.indexOf(2)
    expect(used.slice(0, change).every((threads) => threads === 1)).toBe(true)
    expect(used.slice(change)).toContain(2)
    expect(used.filter((threads) => threads === 2).length).toBeGreaterThan(10)
  })

  it('does not compare a step of a few tokens', async () => {
    const { used, sequence, reading } = stage((threads) => 100 / threads)
    for (let page = 0; page < 3; page++) await steps(reading.read(sequence, tokens(9), never))
    expect(used).toEqual([2, 2, 2])
  })

  it('tells the share that is done, and continues where the sequence ends', async () => {
    const { read, sequence, reading } = stage(() => 1)
    sequence.nextTokenIndex = 100
    expect(await steps(reading.read(sequence, tokens(100 + stepTokens * 4), never))).toEqual([
      0, 0.25, 0.5, 0.75,
    ])
    expect(read[0]).toBe(100)
  })

  it('ends at an abort with the usual threads', async () => {
    const abort = new AbortController()
    const { llama, used, sequence, reading } = stage(() => 1)
    await steps(reading.read(sequence, tokens(stepTokens * 5), abort.signal), 2, abort)
    expect([used.length, llama.maxThreads]).toEqual([2, 1])
  })

  it('has nothing to compare on one core', async () => {
    const { used, sequence, reading } = stage(() => 1, { all: 1, usual: 1 })
    await steps(reading.read(sequence, tokens(stepTokens * 3), never))
    expect(used).toEqual([1, 1, 1])
  })
})
