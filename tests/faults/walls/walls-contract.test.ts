/** Every method of the contract with malicious inputs of the right shape: a plain refusal, never a bug. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { contract } from '../../../src/shared/contract/index.ts'
import { serve } from '../../../src/shared/rpc/serve.ts'
import type { HostPort, ResponseFrame } from '../../../src/shared/wire.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { openTestApp } from '../../fakes/sessions/session-host.ts'
import { wallsSoak } from '../../fakes/walls-soak.ts'

const rounds = wallsSoak > 0 ? 40 : 3
/** Methods that are not called, since they use the network or end the app. */
const left = new Set(['starter.fetch', 'download.start', 'host.restoreBackup', 'model.discover'])
type Json = { [key: string]: unknown }

it(`answer hostile inputs with a plain refusal (${rounds} rounds)`, { timeout: 600_000 }, async () => {
  const random = seededRandom(Number(process.env.TSUGI_SEED ?? 1))
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const dataDir = tempFolder()
  const { app, bugs } = await openTestApp({ dataDir })
  onTestFinished(() => app.close())
  const root = join(tempFolder(), 'work')
  mkdirSync(root)
  writeFileSync(join(root, 'a.txt'), 'one\n')
  const context = { signal: new AbortController().signal }
  const { workId } = await app.api['work.open']({ path: root }, context)
  const { session } = await app.api['session.create']({ workId }, context)
  const known = [workId, session.sessionId, 'a.txt', '章.txt', root, 'http://127.0.0.1:1']

  const text = (): string =>
    pick([
      ...known,
      ...known,
      ...[
        '',
        ' ',
        '\0',
        'a\0b',
        '__proto__',
        'constructor',
        'toString',
        '..',
        '.',
        '../..',
        '/',
        '//',
        'CON',
      ],
      ...[
        'x'.repeat(300),
        'x'.repeat(70_000),
        '猫'.repeat(5_000),
        '\u202e',
        '\ufeff',
        '\ud83d',
        'e\u0301',
        '\ufdfa'.repeat(1000),
      ],
      ...['a.txt/b', 'a.txt\n', '-rf', '$x', '%00', '[', '(a+)+$', '\\', 'C:\\x', 'file:///etc/passwd'],
      ...[
        'work.json',
        '.tsugi/rules.json',
        '/nonexistent/deep/path',
        `${'a/'.repeat(600)}x`,
        '9'.repeat(400),
      ],
    ])
  const number = (): number => pick([0, 1, -1, 0.5, 1e9, 2 ** 53, -(2 ** 53), 1e308, 2 ** 31, 5e-324])
  const odd = (): unknown =>
    pick<unknown>([
      text(),
      number(),
      null,
      true,
      [],
      {},
      [[[]]],
      { __proto__: null },
      JSON.parse('{"__proto__":1}'),
    ])

  /** Generates a value of a schema, sometimes one that does not fit it. */
  const made = (schema: Json, depth = 0): unknown => {
    if (random() < 0.04) return odd()
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return pick(schema.enum)
    const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
    if (choices !== undefined) return made(pick(choices), depth + 1)
    const all = schema.allOf as Json[] | undefined
    if (all !== undefined) return Object.assign({}, ...all.map((part) => made(part, depth + 1)))
    switch (schema.type) {
      case 'object': {
        const required = (schema.required ?? []) as string[]
        const entries = Object.entries((schema.properties ?? {}) as Record<string, Json>)
          .filter(([key]) => required.includes(key) || random() < 0.6)
          .map(([key, part]) => [key, made(part, depth + 1)])
        const extra = schema.additionalProperties
        if (typeof extra === 'object' && extra !== null)
          entries.push([text(), made(extra as Json, depth + 1)])
        return Object.fromEntries(entries)
      }
      case 'array': {
        const items = schema.items as Json | undefined
        const count = depth > 6 ? 0 : pick([0, 1, 1, 2, 30])
        return Array.from({ length: count }, () => (items === undefined ? odd() : made(items, depth + 1)))
      }
      case 'string':
        return text()
      case 'integer':
        return Math.trunc(number())
      case 'number':
        return number()
      case 'boolean':
        return random() < 0.5
      default:
        return odd()
    }
  }

  const waiting = new Map<number, (answer: ResponseFrame) => void>()
  let listen: (frame: never) => void = () => undefined
  const port: HostPort = {
    send: (frame) => waiting.get(frame.id)?.(frame),
    onFrame: (listener) => {
      listen = listener
    },
    onClose: () => undefined,
    close: () => undefined,
    bufferedBytes: () => 0,
  }
  const log = {
    write: () => undefined,
    bug(error: unknown, where: string) {
      bugs.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`)
      return 'bug'
    },
  }
  serve(port, contract, app.api, { log })
  let id = 0
  /** Returns the first answer; leaves a stream at once, since it may have no events. */
  const ask = async (kind: 'call' | 'stream', method: string, input: unknown): Promise<string | null> => {
    id += 1
    const own = id
    const { promise, resolve } = Promise.withResolvers<ResponseFrame>()
    waiting.set(own, resolve)
    listen({ t: kind, id: own, method, input } as never)
    if (kind === 'stream') setTimeout(() => listen({ t: 'cancel', id: own } as never), 50)
    const answer = await promise
    waiting.delete(own)
    return answer.t === 'failed' ? answer.error.code : null
  }

  const seen: string[] = []
  let answered = 0
  for (let round = 0; round < rounds; round++) {
    for (const [method, { kind, input }] of Object.entries(contract)) {
      if (left.has(method)) continue
      const schema = z.toJSONSchema(input, { unrepresentable: 'any', io: 'input' }) as Json
      const given = made(schema)
      const code = await ask(kind, method, given)
      if (code === null) answered += 1
      if (code === 'internal/bug') seen.push(`${method} ${JSON.stringify(given).slice(0, 300)}`)
    }
  }
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown
  for (const [method, { kind }] of Object.entries(contract)) {
    if (left.has(method)) continue
    const code = await ask(kind, method, { workId: deep, sessionId: deep, path: deep, patch: deep })
    if (code === 'internal/bug') seen.push(`${method} deep`)
  }
  expect(answered).toBeGreaterThan(rounds * 20)
  expect([...seen, ...bugs]).toEqual([])
})
