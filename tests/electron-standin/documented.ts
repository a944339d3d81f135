import { EventEmitter } from 'node:events'
import { noteUse } from './trace.ts'

/**
 * The events of a class or module of the stand-in with the names of their parameters, as in `electron.d.ts`.
 * `electron-types.test.ts` compares them.
 */
export type EventTable = Readonly<Record<string, readonly string[]>>

/** Every documented thing of the stand-in, by its name in `electron.d.ts`; what the test compares. */
export const documented = new Map<string, { members: Map<string, unknown>; events: EventTable }>()

/** A class and the module of its static methods share a name. */
function addDocumented(name: string, members: Map<string, unknown>, events: EventTable): void {
  const known = documented.get(name)
  const all = new Map([...(known?.members ?? []), ...members])
  documented.set(name, { members: all, events: { ...known?.events, ...events } })
}

/** Members that engines, inspectors and `await` read on any object. */
const asksForNothing = new Set(['then', 'toJSON', 'constructor', 'asymmetricMatch', 'nodeType', 'domain'])

function isOrdinary(key: string | symbol): boolean {
  return typeof key === 'symbol' || key.startsWith('_') || asksForNothing.has(key)
}

function refuse(name: string, key: string): never {
  throw new Error(
    `The Electron stand-in lacks ${name}.${key}: add it to tests/electron-standin as documented.`,
  )
}

/**
 * An emitter of documented events only: listening to any other is refused, and so is sending one with
 * other contents than documented.
 */
export class DocumentedEmitter extends EventEmitter {
  readonly #name: string
  readonly #events: EventTable

  constructor(name: string, events: EventTable) {
    super()
    this.#name = name
    this.#events = events
    this.on('newListener', (event: string) => {
      if (event !== 'newListener' && !(event in events)) refuse(name, `on('${event}')`)
    })
  }

  override emit(event: string, ...contents: unknown[]): boolean {
    if (event === 'newListener' || event === 'removeListener') return super.emit(event, ...contents)
    const expected = this.#events[event] ?? refuse(this.#name, `emit('${event}')`)
    if (contents.length !== expected.length) {
      throw new Error(
        `${this.#name} '${event}' carries (${expected.join(', ')}), not ${contents.length} values.`,
      )
    }
    if (this.listenerCount(event) > 0) noteUse(`${this.#name}:${event}`, { isEvent: true })
    return super.emit(event, ...contents)
  }
}

/** A class whose members are noted when the app uses them, and whose missing members are refused. */
export function documentClass(
  name: string,
  type: abstract new (...args: never[]) => object,
  events: EventTable = {},
): void {
  const prototype: object = type.prototype
  documented.set(name, {
    members: new Map([...noteMembers(name, type), ...noteMembers(name, prototype)]),
    events,
  })
  const base: object = Object.getPrototypeOf(prototype)
  const strict = new Proxy(base, {
    get: (target, key, receiver) =>
      isOrdinary(key) || key in target ? Reflect.get(target, key, receiver) : refuse(name, String(key)),
  })
  Object.setPrototypeOf(prototype, strict)
}

const notDocumented = new Set(['constructor', 'prototype', 'length', 'name'])

function noteMembers(name: string, holder: object): Map<string, unknown> {
  const members = new Map<string, unknown>()
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
    if (notDocumented.has(key) || isOrdinary(key)) continue
    members.set(key, property.value)
    const value: unknown = property.value
    if (typeof value === 'function') {
      Object.defineProperty(holder, key, { ...property, value: notingFunction(`${name}.${key}`, value) })
    } else if (property.get !== undefined) {
      const get = notingFunction(`${name}.${key}`, property.get)
      const set = property.set && notingFunction(`${name}.${key}`, property.set)
      Object.defineProperty(holder, key, { ...property, get, ...(set ? { set } : {}) })
    }
  }
  return members
}

// biome-ignore lint/complexity/noBannedTypes: any function at all is passed on as it is
function notingFunction(api: string, original: Function): (...args: unknown[]) => unknown {
  return function (this: unknown, ...args: unknown[]) {
    noteUse(api)
    return Reflect.apply(original, this, args)
  }
}

/** A module object such as `app`: uses are noted, members that it lacks are refused, tests may replace some. */
export function documentModule<T extends object>(name: string, module: T, events: EventTable = {}): T {
  const members = new Map<string, unknown>(Object.entries(module).filter(([key]) => !isOrdinary(key)))
  for (let holder = Object.getPrototypeOf(module); holder !== null; holder = Object.getPrototypeOf(holder)) {
    if (holder === EventEmitter.prototype || holder === Object.prototype) break
    if (holder === DocumentedEmitter.prototype) continue
    for (const key of Object.getOwnPropertyNames(holder)) {
      if (!notDocumented.has(key) && !isOrdinary(key)) members.set(key, Reflect.get(holder, key, module))
    }
  }
  addDocumented(name, members, events)
  return new Proxy(module, {
    get(target, key) {
      if (isOrdinary(key)) return Reflect.get(target, key)
      if (!(key in target)) refuse(name, String(key))
      noteUse(`${name}.${String(key)}`)
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
