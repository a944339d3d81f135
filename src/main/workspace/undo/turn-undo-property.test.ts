/** Whatever the assistant, the user, undo and redo do in any order: nothing that the user typed disappears unseen. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { undoStage } from '../../../../tests/fakes/undo-stage.ts'
import type { UndoSide } from '../../../shared/domain/session/undo.ts'

/** `TSUGI_SOAK` plays the long series, `TSUGI_SEED` one of its sequences. */
const isSoak = process.env.TSUGI_SOAK !== undefined
const seeds =
  process.env.TSUGI_SEED === undefined
    ? Array.from({ length: isSoak ? 300 : 25 }, (_, index) => index)
    : [Number(process.env.TSUGI_SEED)]
const steps = 24

const paths = ['a', 'b', 'c', 'd/e']
const sides: (UndoSide | null)[] = [null, null, 'current', 'former', 'both']

/** Shape: words that the user typed are `u1`, `u2` …, those of the assistant `m1`, `m2` …. */
const typedIn = (texts: Iterable<string>): Set<string> => new Set([...texts].join('\n').match(/u\d+/g) ?? [])
const writtenIn = (texts: Iterable<string>): Set<string> =>
  new Set([...texts].join('\n').match(/m\d+/g) ?? [])

describe('any order of edits, moves, deletions, undo and redo', () => {
  it.each(seeds)('seed %i', async (seed) => {
    const random = seededRandom(seed)
    const below = (count: number): number => Math.floor(random() * count)
    const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
    const stage = undoStage({ a: 'u1\nu2\nu3\nu4\n', b: 'u5\nu6\nu7\n' })
    onTestFinished(stage.close)
    let words = 7
    const log: string[] = []
    /** The assistant's changes of each turn, and what of the user's it removed. */
    let turns: { ids: string[]; removed: Set<string>; written: Set<string> }[] = []
    /** `restored`: what the undo brought back; a redo may take it away again. */
    let lastUndo: { ids: string[]; turns: typeof turns; at: number; restored: Set<string> } | null = null
    const byUser = new Set<string>()

    const edited = (path: string, letter: 'u' | 'm'): string => {
      const lines = (stage.read(path) ?? '').split('\n').slice(0, -1)
      for (let edits = 1 + below(2); edits > 0; edits -= 1) {
        const at = below(lines.length + 1)
        words += 1
        const word = `${letter}${words}`
        const kind = below(4)
        if (kind === 0 && lines.length > 0) lines.splice(Math.min(at, lines.length - 1), 1)
        else if (kind === 1 && at < lines.length) lines[at] = `${lines[at]} ${word}`
        else if (kind === 2 && at < lines.length) lines[at] = word
        else lines.splice(at, 0, word)
      }
      return lines.map((line) => `${line}\n`).join('')
    }
    const there = (): string[] => Object.keys(stage.texts())
    const free = (): string[] => paths.filter((path) => stage.read(path) === null)

    async function act(actor: 'user' | 'assistant'): Promise<string | null> {
      const kind = below(10)
      const path = there().length > 0 && kind < 9 ? pick(there()) : pick(free().length > 0 ? free() : paths)
      const to = free()[0]
      const isThere = stage.read(path) !== null
      if (isThere && kind === 7 && to !== undefined) {
        log.push(`${actor} moves ${path} to ${to}`)
        if (actor === 'assistant') return stage.assistant.move(path, to)
        await stage.user.rename(path, to)
        return null
      }
      if (isThere && kind === 8) {
        log.push(`${actor} removes ${path}`)
        if (actor === 'assistant') return stage.assistant.remove(path)
        stage.user.remove(path)
        return null
      }
      const text = edited(path, actor === 'user' ? 'u' : 'm')
      log.push(`${actor} writes ${path}: ${JSON.stringify(text)}`)
      if (actor === 'assistant') return stage.assistant.write(path, text)
      stage.user.write(path, text)
      return null
    }

    /** Undo or redo; `wanted` must be there afterwards, or have been shown. */
    async function takeBack(ids: string[], wanted: Set<string>, isRedo: boolean): Promise<string[]> {
      const side = pick(sides)
      const preview = await stage.preview(ids)
      const shown = typedIn(
        preview.flatMap(({ places }) =>
          places.flatMap((place) => [place.former, place.written, place.current]),
        ),
      )
      const before = JSON.stringify(stage.texts())
      const present = typedIn(Object.values(stage.texts()))
      const { left, changeSetIds } = isRedo ? await stage.redo(ids, side) : await stage.undo(ids, side)
      const after = typedIn(Object.values(stage.texts()))
      // What the user removed as a file stays removed.
      const isRemoved = preview.some((file) => file.isRemoved)
      const lost = [...wanted].filter((word) => !after.has(word) && (present.has(word) || !isRemoved))
      const story = `${log.join('\n')}\n${isRedo ? 'redo' : 'undo'} (${side})\n${before}\n${JSON.stringify(stage.texts())}`
      expect(
        lost.filter((word) => !shown.has(word)),
        story,
      ).toEqual([])
      // What stays as it is, or was kept on purpose, takes nothing of the user's away.
      if (side === null || side === 'current') {
        expect(
          [...wanted].filter((word) => present.has(word) && !after.has(word)),
          story,
        ).toEqual([])
      }
      expect(left, story).toEqual([])
      const isClear = preview.every((file) => file.places.length === 0 && !file.isTaken && !file.isRemoved)
      if (!isRedo && isClear) {
        const written = new Set(turns.flatMap((turn) => [...turn.written]))
        const still = [...writtenIn(Object.values(stage.texts()))].filter((word) => written.has(word))
        expect(still, story).toEqual([])
      }
      log.push(`${isRedo ? 'redo' : 'undo'} (${side}) → ${JSON.stringify(stage.texts())}`)
      return changeSetIds
    }

    for (let step = 0; step < steps; step += 1) {
      const kind = below(12)
      const before = typedIn(Object.values(stage.texts()))
      const gone = (): string[] => {
        const now = typedIn(Object.values(stage.texts()))
        return [...before].filter((word) => !now.has(word))
      }
      if (kind < 5) {
        await act('user')
        for (const word of gone()) byUser.add(word)
      } else if (kind < 10) {
        const written = writtenIn(Object.values(stage.texts()))
        if (turns.length === 0 || random() < 0.6)
          turns.push({ ids: [], removed: new Set(), written: new Set() })
        const turn = turns.at(-1) as (typeof turns)[number]
        const id = await act('assistant')
        if (id !== null) turn.ids.push(id)
        for (const word of gone()) turn.removed.add(word)
        for (const word of writtenIn(Object.values(stage.texts())))
          if (!written.has(word)) turn.written.add(word)
      } else if (kind === 10 && turns.length > 0) {
        const from = below(turns.length)
        const all = turns
        turns = all.slice(from)
        const removed = turns.flatMap((turn) => [...turn.removed]).filter((word) => !byUser.has(word))
        log.push(`-- undo from turn ${from}`)
        const ids = turns.flatMap((turn) => turn.ids)
        const undoIds = await takeBack(ids, new Set([...before, ...removed]), false)
        const restored = new Set(
          [...typedIn(Object.values(stage.texts()))].filter((word) => !before.has(word)),
        )
        lastUndo = { ids: undoIds, turns, at: from, restored }
        turns = all.slice(0, from)
      } else if (kind === 11 && lastUndo !== null) {
        const { restored } = lastUndo
        await takeBack(lastUndo.ids, new Set([...before].filter((word) => !restored.has(word))), true)
        if (turns.length === lastUndo.at) turns.push(...lastUndo.turns)
        lastUndo = null
      }
    }
  })
})
