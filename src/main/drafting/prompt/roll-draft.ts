import type { DraftDetails } from '../../../shared/domain/drafting/draft-details.ts'
import type { RolledValue } from '../../../shared/domain/drafting/take.ts'
import { normaliseLineEnds } from '../../../shared/text/line-ends.ts'
import { readManuscript } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { cleanTag } from '../../../shared/text/manuscript/tags.ts'
import { trimWhiteSpace } from '../../../shared/text/white-space.ts'
import { withoutEnd } from '../../../shared/text/without-end.ts'
import { type BodyFile, readBody, sourceSpan } from './comments-and-range.ts'
import { type Pick, rollDice } from './dynamic-prompts.ts'
import type { DraftFields } from './metadata.ts'

/** A roll with where its value ends in the rolled body, UTF-16; null outside the body. */
export type DraftRoll = RolledValue & { bodyTo: number | null }

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
    rolls.push(
      ...rolled.rolls.map(({ from, to, source, value }) => ({
        field,
        from,
        to,
        source,
        value,
        bodyTo: null,
      })),
    )
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
export function fixRoll(
  text: string,
  { from, to, source, value }: RolledValue,
): { from: number; to: number; insert: string } | undefined {
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
