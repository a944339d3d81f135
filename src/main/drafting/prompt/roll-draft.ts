import type { DraftDetails } from '../../../shared/domain/drafting/draft-details.ts'
import type { RolledValue } from '../../../shared/domain/drafting/take.ts'
import { findDice } from '../../../shared/text/manuscript/dice.ts'
import { readManuscript, type Span } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { cleanTag } from '../../../shared/text/manuscript/tags.ts'
import { isBlank, normaliseLineEnds, trimWhiteSpace } from '../../../shared/text/white-space.ts'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import type { Random } from '../../deps.ts'
import type { DraftFields } from './build-prompt.ts'

/** A roll with where its value ends in the rolled body, UTF-16; null outside the body. */
type DraftRoll = RolledValue & { bodyTo: number | null }

/**
 * A draft with all its dice rolled: exactly the texts that are counted, fitted, sent and stored. Units: `starts` are
 * where files begin in the body, UTF-16.
 */
export type RolledDraft = {
  fields: DraftFields
  body: string
  rolls: DraftRoll[]
  starts: { path: string; from: number }[]
}

/** Text between two files of a body. */
const FILE_JOINT = '\n\n'

/**
 * Prepares a draft for its prompt: line ends, comments and range, then every die once.
 *
 * `held` are rolls to keep (a preview's, an anchor's): a die takes the value of the roll of the same source at
 * the same turn of the same field. The manuscript itself stays as it is.
 * Shape: `files` in order, the open one last; `rolls` have positions in the fields and files as typed (LF).
 */
export function rollDraft(
  draft: { details: DraftDetails; files: readonly BodyFile[] },
  pick: Pick,
  held: readonly RolledValue[] = [],
): RolledDraft {
  const heldValues = queueHeld(held)
  const rolls: DraftRoll[] = []
  const rollText = (field: string, typed: string): string => {
    const rolled = rollDice(normaliseLineEnds(typed), pick, (source) => heldValues(field, undefined, source))
    for (const { at: _, ...roll } of rolled.rolls) rolls.push({ field, ...roll, bodyTo: null })
    return rolled.text
  }
  const rollField = (field: keyof DraftDetails, typed: string) => trimWhiteSpace(rollText(field, typed))
  const rollTags = (field: keyof DraftDetails, typed: readonly string[]) =>
    typed.map((tag, i) => cleanTag(rollText(`${field}.${i}`, tag))).filter((tag) => tag !== '')

  const { details } = draft
  const fields: DraftFields = {
    title: rollField('title', details.title),
    keywords: rollTags('keywords', details.keywords),
    genres: rollTags('genres', details.genres),
    synopsis: rollField('synopsis', details.synopsis),
    setting: rollField('setting', details.setting),
    plot: rollField('plot', details.plot),
    dialogueLevel: details.dialogueLevel,
    authorsNote: rollField('authorsNote', details.authorsNote),
  }

  let body = ''
  const starts: RolledDraft['starts'] = []
  for (const piece of readBody(draft.files)) {
    const rolled = rollDice(piece.text, pick, (source) => heldValues('body', piece.path, source))
    let dropped = 0
    if (body !== '') {
      body = withoutEnd(body, '\n') + FILE_JOINT
      dropped = rolled.text.length - rolled.text.replace(/^\n+/, '').length
    }
    for (const roll of rolled.rolls) {
      rolls.push({
        field: 'body',
        path: piece.path,
        ...sourceSpan(piece, roll),
        source: roll.source,
        value: roll.value,
        bodyTo: body.length + Math.max(0, roll.at + roll.value.length - dropped),
      })
    }
    starts.push({ path: piece.path, from: body.length })
    body += rolled.text.slice(dropped)
  }
  return { fields, body, rolls, starts }
}

/** Returns the rolls that an anchored prompt keeps: of the details but the note, and of the body up to a place. */
export function rollsBefore(rolls: readonly DraftRoll[], bodyTo: number): RolledValue[] {
  return rolls
    .filter((roll) => roll.field !== 'authorsNote' && (roll.bodyTo === null || roll.bodyTo <= bodyTo))
    .map(({ bodyTo: _, ...roll }) => roll)
}

/** Returns the edit that replaces a die by its rolled value; undefined where the die is no longer in the text. */
export function fixRoll(text: string, { from, to, source, value }: RolledValue) {
  const isThere = readManuscript(text.slice(from, to)).text === source
  return isThere ? { from, to, insert: value } : undefined
}

function queueHeld(held: readonly RolledValue[]) {
  const queues = new Map<string, string[]>()
  const keyOf = (field: string, path: string | undefined, source: string) =>
    JSON.stringify([field, path, source])
  for (const roll of held) {
    const key = keyOf(roll.field, roll.path, roll.source)
    queues.set(key, [...(queues.get(key) ?? []), roll.value])
  }
  return (field: string, path: string | undefined, source: string): string | undefined =>
    queues.get(keyOf(field, path, source))?.shift()
}

/** A manuscript file as it stands in its document. */
export type BodyFile = { path: string; text: string }

/**
 * The part of the body from one file, before dice are rolled.
 *
 * Units: `kept` are UTF-16 positions of the file with LF line ends; `text` is those parts joined.
 */
type BodyPiece = { path: string; text: string; kept: Span[] }

/**
 * Removes comments and what range commands exclude from the files of a body.
 *
 * `@endpoint` ends its own file only; a start command drops every file before its own.
 * Shape: the files in order, the open one last; blank pieces before it are dropped.
 */
function readBody(files: readonly BodyFile[]): BodyPiece[] {
  let pieces: BodyPiece[] = []
  for (const [i, file] of files.entries()) {
    const { text, kept, hasStart } = readManuscript(normaliseLineEnds(file.text))
    if (hasStart) pieces = []
    if (i === files.length - 1 || !isBlank(text)) pieces.push({ path: file.path, text, kept })
  }
  return pieces
}

/** Returns where a span of a piece is in its file. Units: UTF-16 positions; comments inside it are included. */
function sourceSpan(piece: BodyPiece, span: Span): Span {
  let at = 0
  let from: number | undefined
  for (const kept of piece.kept) {
    const end = at + kept.to - kept.from
    if (from === undefined && span.from < end) from = kept.from + span.from - at
    if (from !== undefined && span.to <= end) return { from, to: kept.from + span.to - at }
    at = end
  }
  const end = piece.kept.at(-1)?.to ?? 0
  return { from: from ?? end, to: end }
}

/** Chooses one of `count` options. Shape: an index from 0; `count` is at least 1. */
export type Pick = (count: number) => number

/** A rolled die; `at` is where its value stands in the rolled text. */
type Roll = { from: number; to: number; source: string; value: string; at: number }

export function pickWith(random: Random): Pick {
  return (count) => Math.min(count - 1, Math.floor(random.next() * count))
}

/** Rolls every die of a text. `held` may name the value of an earlier roll of the same source. */
function rollDice(text: string, pick: Pick, held: (source: string) => string | undefined = () => undefined) {
  const rolls: Roll[] = []
  let rolled = ''
  let from = 0
  for (const die of findDice(text)) {
    const kept = held(die.source)
    const value =
      kept !== undefined && die.options.includes(kept) ? kept : (die.options[pick(die.options.length)] ?? '')
    rolled += text.slice(from, die.from)
    rolls.push({ from: die.from, to: die.to, source: die.source, value, at: rolled.length })
    rolled += value
    from = die.to
  }
  return { text: rolled + text.slice(from), rolls }
}
