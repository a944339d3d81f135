/** Edits by the assistant and the user, undo and redo in any order: no text of the user is lost without being shown. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { undoStage } from '../../../../tests/fakes/rigs/undo-stage.ts'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import type { UndoSide } from '../../../shared/domain/session/undo.ts'

/** `TSUGI_SOAK` plays the long series, `TSUGI_SEED` one of its sequences. */
const isSoak = process.env.TSUGI_SOAK !== undefined
const seeds =
  process.env.TSUGI_SEED === undefined
    ? Array.from({ length: isSoak ? 1_000 : 40 }, (_, index) => index)
    : [Number(process.env.TSUGI_SEED)]
/** Every fifth sequence is long. */
const stepsOf = (seed: number): number => (isSoak || seed % 5 === 0 ? 24 : 10)

const paths = ['a', 'b', 'c', 'd/e']
const sides: (UndoSide | null)[] = [null, null, 'current', 'former', 'both']

/** Shape: words that the user typed are `u1`, `u2` …, those of the assistant `m1`, `m2` …. */
const typedIn = (texts: Iterable<string>): Set<string> => new Set([...texts].join('\n').match(/u\d+/g) ?? [])
const writtenIn = (texts: Iterable<string>): Set<string> =>
  new Set([...texts].join('\n').match(/m\d+/g) ?? [])

describe('any order of edits in a window and on the disk, moves, deletions, undo and redo', () => {
  it.each(seeds)('takes nothing away that the user typed without having shown it, seed %i', async (seed) => {
    const random = seededRandom(seed)
    const below = (count: number): number => Math.floor(random() * count)
    const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
    const hasWindow = seed % 2 === 1
    const stage = undoStage({ a: 'u1\nu2\nu3\nu4\n', b: 'u5\nu6\nu7\n' }, tempFolder(), hasWindow)
    onTestFinished(stage.close)
    let words = 7
    const log: string[] = []
    /** The assistant's changes of each turn, and the user's words that they removed. */
    let turns: { ids: string[]; removed: Set<string>; written: Set<string> }[] = []
    /** `restored`: the words that the undo brought back; a redo may remove them again. */
    let lastUndo: { ids: string[]; turns: typeof turns; at: number; restored: Set<string> } | null = null
    const byUser = new Set<string>()

    const edited = (text: string, letter: 'u' | 'm'): string => {
      const lines = text.split('\n').slice(0, -1)
      for (let edits = 1 + below(2); edits > 0; edits -= 1) {
        const at = below(lines.length + 1)
        words += 1
        const word = `${letter}${words}`
        const kind = below(5)
        const inside = /(?<=[um])(?=\d)/
        if (kind === 0 && lines.length > 0) lines.splice(Math.min(at, lines.length - 1), 1)
        else if (kind === 1 && at < lines.length) lines[at] = `${lines[at]} ${word}`
        else if (kind === 2 && at < lines.length) lines[at] = word
        else if (kind === 3 && at < lines.length) lines[at] = lines[at]?.replace(inside, `(${word})`) ?? ''
        else lines.splice(at, 0, word)
      }
      return lines.map((line) => `${line}\n`).join('')
    }
    async function act(actor: 'user' | 'assistant'): Promise<string | null> {
      // Saved first: the assistant’s tools read unsaved text, and other programs find it on the disk.
      const isTyped = actor === 'user' && hasWindow && random() < 0.6
      if (!isTyped) await stage.settle()
      const texts = await stage.seen()
      const there = Object.keys(texts)
      const free = paths.filter((path) => texts[path] === undefined)
      const kind = isTyped ? 0 : below(10)
      const path = there.length > 0 && kind < 9 ? pick(there) : pick(free.length > 0 ? free : paths)
      const to = free[0]
      const isThere = texts[path] !== undefined
      if (isThere && kind === 7 && to !== undefined) {
        log.push(`${actor} moves ${path} to ${to}`)
        if (actor === 'assistant') return stage.assistant.move(path, to)
        if (random() < 0.5) await stage.user.rename(path, to)
        else await stage.user.move(path, to)
        return null
      }
      if (isThere && kind === 8) {
        log.push(`${actor} removes ${path}`)
        if (actor === 'assistant') return stage.assistant.remove(path)
        stage.user.remove(path)
        await stage.user.close(path)
        return null
      }
      const text = edited(texts[path] ?? '', actor === 'user' ? 'u' : 'm')
      log.push(`${actor} ${isTyped ? 'types' : 'writes'} ${path}: ${JSON.stringify(text)}`)
      if (actor === 'assistant') return stage.assistant.write(path, text)
      if (isTyped) await stage.user.type(path, text)
      else {
        stage.user.write(path, text)
        await stage.settle()
      }
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
      const before = JSON.stringify(await stage.seen())
      const present = typedIn(Object.values(await stage.seen()))
      const { left, changeSetIds } = isRedo ? await stage.redo(ids, side) : await stage.undo(ids, side)
      const after = typedIn(Object.values(await stage.seen()))
      // A file that the user removed stays removed.
      const isRemoved = preview.some((file) => file.isRemoved)
      const lost = [...wanted].filter((word) => !after.has(word) && (present.has(word) || !isRemoved))
      const story = `${log.join('\n')}\n${isRedo ? 'redo' : 'undo'} (${side})\n${before}\n${JSON.stringify(await stage.seen())}`
      expect(
        lost.filter((word) => !shown.has(word)),
        story,
      ).toEqual([])
      // Places that stay as they are, or are kept by choice, lose none of the user's words.
      if (side === null || side === 'current') {
        expect(
          [...wanted].filter((word) => present.has(word) && !after.has(word)),
          story,
        ).toEqual([])
      }
      expect(left, story).toEqual([])
      const isClear = preview.every((file) => file.places.length === 0 && !file.isOccupied && !file.isRemoved)
      if (!isRedo && isClear) {
        const written = new Set(turns.flatMap((turn) => [...turn.written]))
        const still = [...writtenIn(Object.values(await stage.seen()))].filter((word) => written.has(word))
        expect(still, story).toEqual([])
      }
      log.push(`${isRedo ? 'redo' : 'undo'} (${side}) → ${JSON.stringify(await stage.seen())}`)
      return changeSetIds
    }

    for (let step = 0; step < stepsOf(seed); step += 1) {
      const kind = below(12)
      const before = typedIn(Object.values(await stage.seen()))
      const gone = async (): Promise<string[]> => {
        const now = typedIn(Object.values(await stage.seen()))
        return [...before].filter((word) => !now.has(word))
      }
      if (kind < 5) {
        await act('user')
        for (const word of await gone()) byUser.add(word)
      } else if (kind < 10) {
        const written = writtenIn(Object.values(await stage.seen()))
        if (turns.length === 0 || random() < 0.6)
          turns.push({ ids: [], removed: new Set(), written: new Set() })
        const turn = turns.at(-1) as (typeof turns)[number]
        const id = await act('assistant')
        if (id !== null) turn.ids.push(id)
        for (const word of await gone()) turn.removed.add(word)
        for (const word of writtenIn(Object.values(await stage.seen())))
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
          [...typedIn(Object.values(await stage.seen()))].filter((word) => !before.has(word)),
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
