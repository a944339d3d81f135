// biome-ignore-all lint/suspicious/noConfusingVoidType: a move answers only where it could not be made
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import type { PendingContinuation } from '../../../src/renderer/editor/editor-types.ts'
import {
  acceptPending,
  acceptPendingSentence,
  retryPending,
  stopOrDismissPending,
  swapPending,
} from '../../../src/renderer/editor/pending/pending-commands.ts'
import { pendingPlace } from '../../../src/renderer/editor/pending/pending-state.ts'
import { createKeptTexts } from '../../../src/renderer/state/kept-texts.ts'
import { awaitedDisk } from '../../fakes/disks/awaited-disk.ts'
import { manualClock } from '../../fakes/manual-clock.ts'
import { documentRig } from '../../fakes/rigs/document-rig.ts'
import { HeadlessEditor } from '../../fakes/rigs/headless-editor.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'

/** `TSUGI_SOAK` plays a million steps, `TSUGI_STEPS` so many, `TSUGI_SEED=7` one series, `TSUGI_SEED=7-30` these. */
const stepsOfSeries = 500
const seeds = seedsWanted()
const stepsWanted = seeds.length * stepsOfSeries
const chapters = ['001.txt', '002.txt', '003.txt'] as const
/** Number of undo steps that CodeMirror keeps in any case. */
const undoDepth = 80
/** Length of text parts that are unlikely to occur twice, by which an edit from elsewhere is found again. */
const anchorLength = 8

type Chapter = {
  path: string
  text: string
  undoable: string[]
  redoable: string[]
  /** Edits of the agent that main has and the window has not shown yet. */
  agentEdits: { anchor: string; replaced: string }[]
  /** Only insertions since main had the window's text: parts of main's text are in the window unchanged. */
  isOnlyInserted: boolean
  /** More steps were made than CodeMirror surely keeps. */
  isForgetful: boolean
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const timeoutMs = 60_000 + stepsWanted * 20

it(`the text is what was done to it: ${stepsWanted} steps`, { timeout: timeoutMs }, async () => {
  const clock = manualClock()
  const watcher = {
    watchFile: () => () => undefined,
    watchFolder: () => () => undefined,
    close: () => undefined,
  }
  const { disk, settled } = awaitedDisk(nodeDisk)
  const rig = documentRig({ clock, watcher, disk })
  const played: Record<string, number> = {}
  for (const seed of seeds) {
    const day = new Day(seed, rig, clock, settled)
    try {
      await day.play(played)
    } catch (error) {
      throw new Error(`seed ${seed}, step ${day.done.length}: ${day.done.slice(-12).join(' · ')}\n${error}`, {
        cause: error,
      })
    }
  }
  if (process.env.TSUGI_SOAK !== undefined) process.stdout.write(`${JSON.stringify(played)}\n`)
  // A series in which nothing is taken or undone proves nothing.
  const counted = seeds.length * stepsOfSeries
  if (counted >= 10_000)
    for (const name of [
      'accept',
      'sentence',
      'undo',
      'swap',
      'compose',
      'agent',
      'reload',
      'rename',
      'dismiss',
    ])
      expect(played[name], name).toBeGreaterThan(counted / 1_000)
})

/** One series: an editor on a real document service, and the expected texts. */
class Day {
  readonly done: string[] = []
  readonly #random: () => number
  readonly #rig: ReturnType<typeof documentRig>
  readonly #clock: ReturnType<typeof manualClock>
  readonly #diskSettled: () => Promise<void>
  readonly #kept = createKeptTexts(null)
  readonly #chapters = new Map<string, Chapter>()
  #editor = new HeadlessEditor()
  #shown: string = chapters[0]
  #composed: { from: number; to: number; before: string } | null = null
  #nextCharacter = 0
  #nextId = 0
  #takes: PendingContinuation[] = []

  constructor(
    seed: number,
    rig: ReturnType<typeof documentRig>,
    clock: ReturnType<typeof manualClock>,
    diskSettled: () => Promise<void>,
  ) {
    this.#diskSettled = diskSettled
    this.#random = seededRandom(seed)
    this.#rig = rig
    this.#clock = clock
    for (const key of chapters) {
      const text = `　${this.#words(30)}。\n${this.#words(30)}。\n`
      const path = `${seed}-${key}`
      rig.write(path, text)
      this.#chapters.set(key, {
        path,
        text,
        undoable: [],
        redoable: [],
        agentEdits: [],
        isOnlyInserted: true,
        isForgetful: false,
      })
    }
  }

  async play(played: Record<string, number>): Promise<void> {
    try {
      await this.#openPage()
      await this.#playAll(played)
    } finally {
      this.#editor.leave()
      await nextTurn()
    }
  }

  async #playAll(played: Record<string, number>): Promise<void> {
    const moves = this.#weights.flatMap(([name, weight, act]) =>
      Array.from({ length: weight }, () => ({ name, act })),
    )
    for (let step = 0; step < stepsOfSeries; step++) {
      const { name, act } = this.#any(moves)
      this.done.push(name)
      if ((await act()) !== false) played[name] = (played[name] ?? 0) + 1
      this.#check()
      if (this.#random() < 0.3) await this.#pass(this.#below(60))
    }
    await this.#settled()
    for (const key of chapters) {
      await this.#rig.service.flush(join(this.#rig.root, this.#chapter(key).path))
      const { text } = await this.#rig.service.read({ root: this.#rig.root, path: this.#chapter(key).path })
      expect(text).toBe(this.#chapter(key).text)
      const bytes = await nodeDisk.read(join(this.#rig.root, this.#chapter(key).path), 1e9)
      expect(bytes.toString('utf8')).toBe(text)
    }
    expect(this.#editor.problems).toEqual([])
  }

  /** Each answers false where there was nothing to do. */
  readonly #weights: readonly (readonly [string, number, () => unknown])[] = [
    ['type', 20, () => this.#type()],
    ['type through', 5, () => this.#typeThrough()],
    ['delete', 6, () => this.#delete()],
    ['compose', 8, () => this.#compose()],
    ['compose on', 12, () => this.#composeOn()],
    ['end composition', 6, () => this.#endComposition()],
    ['offer', 8, () => this.#offer()],
    ['stream', 12, () => this.#streamOn()],
    ['swap', 8, () => this.#swap()],
    ['accept', 4, () => this.#accept(acceptPending)],
    ['sentence', 6, () => this.#accept(acceptPendingSentence)],
    ['dismiss', 2, () => this.#press(stopOrDismissPending)],
    ['retry', 2, () => this.#press(retryPending)],
    ['undo', 10, () => this.#undo()],
    ['redo', 4, () => this.#redo()],
    ['insert take', 3, () => this.#insertTake()],
    ['agent', 8, () => this.#agentEdit()],
    ['switch', 4, () => this.#switch()],
    ['rename', 1, () => this.#rename()],
    ['reload', 1, () => this.#reload()],
    ['save', 1, () => this.#clock.advance(1_000)],
    ['settle', 2, () => this.#settled()],
  ]

  get #now(): Chapter {
    return this.#chapter(this.#shown)
  }

  #chapter(key: string): Chapter {
    const chapter = this.#chapters.get(key)
    if (chapter === undefined) throw new Error(key)
    return chapter
  }

  // What the author does

  #type(): void | false {
    if (this.#composed) return false
    const at = this.#place()
    const insert = this.#random() < 0.1 ? '\n' : this.#words(1 + this.#below(3))
    this.#record(splice(this.#now.text, at, at, insert))
    this.#change(at, at, insert, 'input.type')
  }

  #typeThrough(): void | false {
    const place = pendingPlace(this.#editor.state)
    if (this.#composed || !place || place.rest === '' || this.#isTouched(place.at)) return false
    const insert = [...place.rest].slice(0, 1 + this.#below(3)).join('')
    this.#record(splice(this.#now.text, place.at, place.at, insert))
    this.#change(place.at, place.at, insert, 'input.type')
  }

  async #delete(): Promise<void | false> {
    if (this.#composed) return false
    await this.#shownAgentEdits()
    const from = this.#place()
    const to = Math.min(this.#now.text.length, from + 1 + this.#below(6))
    if (from === to) return false
    this.#now.isOnlyInserted = false
    this.#record(splice(this.#now.text, from, to, ''))
    this.#change(from, to, '', 'delete.selection')
  }

  async #compose(): Promise<void | false> {
    if (this.#composed) return false
    await this.#shownAgentEdits()
    const place = pendingPlace(this.#editor.state)
    const from = place && this.#random() < 0.5 ? place.at : this.#place()
    const before = this.#now.text
    const insert = this.#words(1)
    this.#now.isOnlyInserted = false
    this.#record(splice(before, from, from, insert))
    this.#composed = { from, to: from + insert.length, before }
    this.#editor.compose(from, from, insert)
  }

  #composeOn(): void | false {
    if (!this.#composed) return false
    const { from, to } = this.#composed
    const insert = this.#words(this.#below(4))
    this.#now.text = splice(this.#now.text, from, to, insert)
    this.#composed.to = from + insert.length
    this.#editor.compose(from, to, insert)
  }

  #endComposition(): void | false {
    if (!this.#composed) return false
    const { from, to, before } = this.#composed
    // A candidate that is cancelled leaves nothing.
    if (this.#random() < 0.3) {
      this.#now.text = before
      this.#editor.compose(from, to, '')
    }
    this.#composed = null
    this.#editor.endComposition()
  }

  async #undo(): Promise<void | false> {
    if (this.#composed) return false
    await this.#shownAgentEdits()
    if (!step(this.#now, this.#now.undoable, this.#now.redoable)) {
      if (!this.#now.isForgetful) expect(this.#editor.undo()).toBe(false)
      return false
    }
    this.#now.isOnlyInserted = false
    expect(this.#editor.undo()).toBe(true)
  }

  async #redo(): Promise<void | false> {
    if (this.#composed) return false
    await this.#shownAgentEdits()
    if (!step(this.#now, this.#now.redoable, this.#now.undoable)) return false
    this.#now.isOnlyInserted = false
    expect(this.#editor.redo()).toBe(true)
  }

  #insertTake(): void | false {
    if (this.#composed) return false
    const at = this.#place()
    const insert = `${this.#words(6)}。`
    this.#record(splice(this.#now.text, at, at, insert))
    this.#change(at, at, insert, 'input.take')
  }

  // Offers

  #offer(): void {
    const id = `take ${this.#nextId++}`
    const placeId = this.#random() < 0.7 ? (this.#takes[0]?.placeId ?? id) : id
    if (placeId === id) this.#takes = []
    const position = this.#below(this.#now.text.length + 1)
    const text = this.#takeText()
    const phase = this.#random() < 0.5 ? 'writing' : 'finished'
    const lead = this.#random() < 0.3 ? '\n' : ''
    const pending: PendingContinuation = { id, placeId, position, lead, text, phase }
    this.#takes.push(pending)
    this.#show(pending)
  }

  #streamOn(): void | false {
    const shown = this.#takes.findIndex(({ id }) => id === pendingPlace(this.#editor.state)?.pending.id)
    const take = this.#takes[shown]
    if (take?.phase !== 'writing') return false
    const phase = this.#random() < 0.15 ? 'finished' : 'writing'
    const next: PendingContinuation = { ...take, text: take.text + this.#takeText(), phase }
    this.#takes[shown] = next
    this.#show(next)
  }

  #swap(): void | false {
    const id = pendingPlace(this.#editor.state)?.pending.id
    const step = this.#random() < 0.5 ? -1 : 1
    const index = this.#takes.findIndex((take) => take.id === id)
    const next = index < 0 ? undefined : this.#takes[index + step]
    // The buttons swap also while an input method composes.
    if (!this.#composed) this.#press(swapPending(step))
    if (next === undefined) return false
    this.#show(next)
  }

  #show(pending: PendingContinuation): void {
    const nth = this.#takes.findIndex(({ id }) => id === pending.id) + 1
    this.#editor.showPending(this.#shown, { ...pending, nth, total: this.#takes.length })
  }

  #accept(command: typeof acceptPending): void | false {
    const place = pendingPlace(this.#editor.state)
    if (this.#composed || !place) return this.#press(command)
    if (this.#isTouched(place.at)) return false
    const before = this.#editor.events.length
    const { rest, at, pending } = place
    const first = command === acceptPending ? rest.length : null
    command(this.#editor.view)
    const event = this.#editor.events.slice(before).find(({ kind }) => kind === 'accepted')
    if (event?.kind !== 'accepted') return false
    const whole = pending.lead + pending.text
    const length = first ?? this.#editor.state.doc.length - this.#now.text.length
    expect(length).toBeGreaterThan(0)
    expect(whole.endsWith(rest)).toBe(true)
    expect(event.acceptedLength).toBe(Math.max(0, whole.length - rest.length + length - pending.lead.length))
    expect(event.isWhole).toBe(length === rest.length)
    this.#record(splice(this.#now.text, at, at, rest.slice(0, length)))
  }

  /** A key that never changes the text; while an input method composes it is not even taken. */
  #press(command: typeof acceptPending): void | false {
    const hasPlace = pendingPlace(this.#editor.state) !== null
    expect(command(this.#editor.view)).toBe(hasPlace && !this.#composed)
    return hasPlace && !this.#composed ? undefined : false
  }

  // What happens elsewhere

  async #agentEdit(): Promise<void | false> {
    const chapter = this.#chapter(this.#any(chapters))
    const isShown = chapter === this.#now
    if (!chapter.isOnlyInserted || chapter.agentEdits.length > 0) {
      if (isShown && this.#composed) return false
      await this.#settled()
    }
    const { root, service } = this.#rig
    const main = (await service.read({ root, path: chapter.path })).text
    const from = this.#below(main.length - anchorLength)
    const anchor = main.slice(from, from + anchorLength)
    if (occurrences(main, anchor) !== 1 || occurrences(chapter.text, anchor) !== 1) return false
    const middle = this.#random() < 0.5 ? anchor.slice(3, 5) : ''
    const replaced = anchor.slice(0, 3) + this.#words(2) + anchor.slice(3 + middle.length)
    const inserted = replaced.slice(3, 5)
    chapter.agentEdits.push({ anchor, replaced })
    const spec = { from: from + 3, to: from + 3 + middle.length, insert: inserted }
    await service.edit({ root, path: chapter.path }, spec, 'agent')
  }

  async #switch(): Promise<void> {
    if (this.#composed) this.#endComposition()
    this.#shown = this.#any(chapters)
    this.#takes = []
    this.#editor.show(this.#shown)
  }

  async #rename(): Promise<void> {
    await this.#settled()
    const chapter = this.#chapter(this.#any(chapters))
    const [from, path] = [chapter.path, `${this.#nextId++} ${chapter.path}`.slice(-40)]
    const { root, service } = this.#rig
    await service.flush(join(root, from))
    renameSync(join(root, from), join(root, path))
    service.fileMoved(join(root, from), join(root, path), path)
    chapter.path = path
  }

  async #reload(): Promise<void> {
    if (this.#composed) this.#endComposition()
    await this.#shownAgentEdits()
    for (const key of chapters) await this.#awaitAgentEdits(key)
    this.#editor.leave()
    this.#takes = []
    await this.#pass(this.#below(5))
    await this.#openPage()
    for (const key of chapters)
      Object.assign(this.#chapter(key), {
        undoable: [],
        redoable: [],
        isOnlyInserted: false,
        isForgetful: false,
      })
  }

  async #openPage(): Promise<void> {
    this.#editor = new HeadlessEditor()
    const { root, service } = this.#rig
    const clientId = `window ${this.#nextId++}`
    for (const key of chapters) {
      const chapter = this.#chapter(key)
      this.#editor.open({
        key,
        clientId,
        kept: {
          read: () => this.#kept.place(root, key).read(),
          write: (kept) => this.#kept.place(root, key).write(kept),
        },
        watch: ({ afterVersion, signal }) =>
          service.watch({ root, path: chapter.path, afterVersion }, signal),
        send: async (batch) => {
          await Promise.resolve()
          return service.change({ clientId, ...batch })
        },
      })
    }
    this.#editor.show(this.#shown)
    while (chapters.some((key) => this.#editor.textOf(key) === null)) await this.#pass(10)
  }

  // Time

  async #pass(ms: number): Promise<void> {
    for (let left = ms; left >= 0; left -= 20) {
      await this.#diskSettled()
      vi.advanceTimersByTime(Math.min(20, left))
      await nextTurn()
      this.#check()
    }
  }

  /** Waits until the agent's edits are shown in the open chapter, without waiting for the author's own text. */
  async #shownAgentEdits(): Promise<void> {
    if (!this.#composed) await this.#awaitAgentEdits(this.#shown)
  }

  async #awaitAgentEdits(key: string): Promise<void> {
    for (let turn = 0; this.#chapter(key).agentEdits.length > 0; turn++) {
      if (turn > 500) throw new Error('an edit of the agent never came')
      await this.#pass(20)
    }
  }

  async #settled(): Promise<void> {
    if (this.#composed) this.#endComposition()
    for (const key of chapters) {
      const flushed = this.#editor.session(key).flush()
      let isDone = false
      void flushed.then(() => {
        isDone = true
      })
      for (let turn = 0; !isDone; turn++) {
        if (turn > 500) throw new Error('what was written never came to main')
        await this.#pass(20)
      }
      await this.#awaitAgentEdits(key)
      this.#chapter(key).isOnlyInserted = true
    }
    const { root, service } = this.#rig
    for (const key of chapters) {
      const { path, text } = this.#chapter(key)
      expect((await service.read({ root, path })).text).toBe(text)
    }
  }

  // The model

  #record(text: string): void {
    done(this.#now, text)
  }

  #change(from: number, to: number, insert: string, userEvent: string): void {
    const anchor = from + insert.length
    this.#editor.change({
      changes: { from, to, insert: this.#editor.state.toText(insert) },
      selection: { anchor },
      userEvent,
    })
  }

  /** Checks the texts: edits of the agent may arrive later; everything else must be there at once. */
  #check(): void {
    for (const key of chapters) {
      const chapter = this.#chapter(key)
      const text = this.#editor.textOf(key)
      if (text === null) continue
      while (text !== chapter.text && chapter.agentEdits.length > 0) {
        const edit = chapter.agentEdits.shift()
        if (edit === undefined) break
        done(
          chapter,
          chapter.text.replace(edit.anchor, () => edit.replaced),
        )
      }
      if (text !== chapter.text) expect(text).toBe(chapter.text)
    }
    const place = pendingPlace(this.#editor.state)
    if (!place) return
    const { from, at, rest, pending } = place
    expect(from <= at && at <= this.#editor.state.doc.length).toBe(true)
    expect((pending.lead + pending.text).endsWith(rest)).toBe(true)
  }

  // Chance

  #below(limit: number): number {
    return Math.floor(this.#random() * Math.max(1, limit))
  }

  #any<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T
  }

  /** Returns a place in the open text, outside of the parts to which an edit is still on its way. */
  #place(): number {
    const { length } = this.#now.text
    const at = this.#random() < 0.3 ? length : this.#below(length + 1)
    return this.#isTouched(at) ? length : at
  }

  #isTouched(at: number): boolean {
    const { text, agentEdits } = this.#now
    return agentEdits.some(({ anchor }) => {
      const from = text.indexOf(anchor)
      return at > from && at < from + anchorLength
    })
  }

  /** Returns a string that almost never occurs again. */
  #words(count: number): string {
    return Array.from({ length: count }, () =>
      String.fromCharCode(0x4e00 + (this.#nextCharacter++ % 20_000)),
    ).join('')
  }

  #takeText(): string {
    const sentences = Array.from({ length: 1 + this.#below(2) }, () => `${this.#words(1 + this.#below(5))}。`)
    return (this.#random() < 0.2 ? '\n' : '') + sentences.join('')
  }
}

/** One more step that can be undone. */
function done(chapter: Chapter, text: string): void {
  chapter.undoable.push(chapter.text)
  if (chapter.undoable.length > undoDepth) {
    chapter.undoable.shift()
    chapter.isForgetful = true
  }
  chapter.redoable = []
  chapter.text = text
}

/** The last text of `from` that is another one; steps without a change are passed over. */
function step(chapter: Chapter, from: string[], to: string[]): boolean {
  while (from.at(-1) === chapter.text) from.pop()
  const text = from.pop()
  if (text === undefined) return false
  to.push(chapter.text)
  chapter.text = text
  return true
}

function splice(text: string, from: number, to: number, insert: string): string {
  return text.slice(0, from) + insert + text.slice(to)
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1
}

function seedsWanted(): number[] {
  const [first, last = first] = process.env.TSUGI_SEED?.split('-').map(Number) ?? []
  const steps = process.env.TSUGI_STEPS ?? (process.env.TSUGI_SOAK === undefined ? 10_000 : 1_000_000)
  const from = first ?? 1
  const to = last ?? Math.ceil(Number(steps) / stepsOfSeries)
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
