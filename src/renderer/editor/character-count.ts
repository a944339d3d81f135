import { type ChangeSet, type EditorState, type Extension, StateField, type Text } from '@codemirror/state'
import { countCharacters } from '../../shared/text/count-characters.ts'
import { isPlain } from '../../shared/text/graphemes.ts'

const countField = StateField.define<number>({
  create: ({ doc }) => countIn(doc, 0, doc.length),
  update(count, { changes, docChanged, startState, newDoc }) {
    if (!docChanged) return count
    const { old, now } = changedSpans(changes)
    // Between two plain units there is always an edge; only what hangs together with the change is counted anew.
    const before = Math.max(unitsToPlain(newDoc, now.from, -1), unitsToPlain(startState.doc, old.from, -1))
    const after = Math.max(unitsToPlain(newDoc, now.to, 1), unitsToPlain(startState.doc, old.to, 1))
    const added = countIn(newDoc, now.from - before, now.to + after)
    return count + added - countIn(startState.doc, old.from - before, old.to + after)
  },
})

/** Keeps the number of characters of a document by what each change adds and takes. */
export function characterCount(): Extension {
  return countField
}

/** Units: graphemes without white space, as everywhere in the window. */
export function charactersOf(state: EditorState): number {
  return state.field(countField)
}

/** The characters of the selection; counted when asked, for it may be the whole document. */
export function selectedCharactersOf(state: EditorState): number {
  const { main } = state.selection
  if (main.empty) return 0
  if (main.from === 0 && main.to === state.doc.length) return charactersOf(state)
  return countIn(state.doc, main.from, main.to)
}

/** One span around all that a transaction changes, in the old text and in the new. */
function changedSpans(changes: ChangeSet) {
  const old = { from: Number.POSITIVE_INFINITY, to: 0 }
  const now = { from: Number.POSITIVE_INFINITY, to: 0 }
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    old.from = Math.min(old.from, fromA)
    old.to = Math.max(old.to, toA)
    now.from = Math.min(now.from, fromB)
    now.to = Math.max(now.to, toB)
  })
  return { old, now }
}

function countIn(doc: Text, from: number, to: number): number {
  return countCharacters(doc.sliceString(from, to))
}

/** How many units from `position` on, backwards or forwards, reach to and include the next plain one. */
function unitsToPlain(doc: Text, position: number, direction: 1 | -1): number {
  const limit = direction < 0 ? position : doc.length - position
  for (let units = 1; units <= limit; units++) {
    const at = direction < 0 ? position - units : position + units - 1
    if (isPlain(doc.sliceString(at, at + 1))) return units
  }
  return limit
}
