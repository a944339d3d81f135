import { setImmediate as pause } from 'node:timers/promises'
import { type IndexedFile, raritiesOf } from './index-file.ts'
import { isWord } from './terms.ts'

/**
 * Topics of a work, found in the work itself by latent semantic indexing: words that occur in the same scenes point in
 * similar directions, so that a scene can be about a question with whose words it shares nothing.
 *
 * Shape: `rows` has the row of each word in `directions`, which has one column a topic; `weights` is by row; `scenes`
 * has, by file, one unit vector a line, for the scene around it.
 */
export type Topics = {
  rows: Map<string, number>
  weights: Float64Array
  directions: Float64Array
  scenes: Map<IndexedFile, Float64Array>
}

/** Words with their lines. Units: `lines` counts through all files. */
type Words = { rows: Map<string, number>; weights: Float64Array; lines: number[][] }

const topicCount = 40
/** Rounds of the iteration: with more, the ranking stays nearly the same. */
const rounds = 5
/** Words in a larger share of the lines belong to no topic. */
const commonShare = 0.1

/** Returns the topics of a work's files, computed in slices. Units: `reach` in lines on each side of a scene's middle. */
export async function topicsOf(files: readonly IndexedFile[], reach: number): Promise<Topics> {
  const words = wordsOf(files)
  const sizes = files.map(({ lines }) => lines.length)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  let directions: Float64Array = new Float64Array(words.lines.length * topicCount)
  let scenes = firstScenes(total)
  for (let round = 0; round < rounds; round++) {
    directions = fromLines(words, sumNear(scenes, sizes, reach))
    await orthonormalize(directions)
    scenes = sumNear(toLines(words, directions, total), sizes, reach)
    await pause()
  }
  for (let at = 0; at < total; at++) normalize(scenes.subarray(at * topicCount, (at + 1) * topicCount))
  const byFile = new Map<IndexedFile, Float64Array>()
  let from = 0
  for (const file of files) {
    const to = from + file.lines.length
    byFile.set(file, scenes.subarray(from * topicCount, to * topicCount))
    from = to
  }
  return { rows: words.rows, weights: words.weights, directions, scenes: byFile }
}

/** Returns for each line of a file how much its scene is about the terms. Units: cosine. */
export function likenessOf(topics: Topics, file: IndexedFile, terms: Iterable<string>): Float64Array {
  const { rows, weights, directions, scenes } = topics
  const topic = new Float64Array(topicCount)
  for (const term of terms) {
    const row = rows.get(term)
    if (row !== undefined) addRow(topic, 0, directions, row, weights[row] ?? 0)
  }
  normalize(topic)
  return Float64Array.from(file.lines, (_, at) => dot(topic, 0, scenes.get(file) ?? topic, at))
}

function wordsOf(files: readonly IndexedFile[]): Words {
  const places = new Map<string, number[]>()
  let from = 0
  for (const file of files) {
    for (const [term, lines] of file.places) {
      if (!isWord(term)) continue
      const known = places.get(term) ?? []
      for (const at of lines) known.push(from + at)
      places.set(term, known)
    }
    from += file.lines.length
  }
  const used = [...places].filter(([, { length }]) => length > 1 && length < from * commonShare)
  const terms = used.map(([term]) => term)
  return {
    rows: new Map(terms.map((term, row) => [term, row])),
    weights: Float64Array.from(raritiesOf(terms, files).values()),
    lines: used.map(([, lines]) => lines),
  }
}

/** Returns start vectors for the iteration: each topic starts from one line, at even distances. */
function firstScenes(total: number): Float64Array {
  const scenes = new Float64Array(total * topicCount)
  for (let topic = 0; topic < Math.min(topicCount, total); topic++)
    scenes[Math.floor((topic * total) / topicCount) * topicCount + topic] = 1
  return scenes
}

function fromLines({ lines, weights }: Words, vectors: Float64Array): Float64Array {
  const sums = new Float64Array(lines.length * topicCount)
  for (const [row, own] of lines.entries())
    for (const at of own) addRow(sums, row, vectors, at, weights[row] ?? 0)
  return sums
}

/** Returns for each line the weighted sum of its words' vectors. */
function toLines({ lines, weights }: Words, vectors: Float64Array, total: number): Float64Array {
  const sums = new Float64Array(total * topicCount)
  for (const [row, own] of lines.entries())
    for (const at of own) addRow(sums, at, vectors, row, weights[row] ?? 0)
  return sums
}

/** Returns for each line the sum of the vectors of the lines within `reach` of it in its file. */
function sumNear(vectors: Float64Array, sizes: readonly number[], reach: number): Float64Array {
  const sums = new Float64Array(vectors.length)
  let from = 0
  for (const size of sizes) {
    const to = from + size
    const sum = new Float64Array(topicCount)
    for (let at = from - reach; at < to; at++) {
      if (at + reach < to) addRow(sum, 0, vectors, at + reach, 1)
      if (at - reach - 1 >= from) addRow(sum, 0, vectors, at - reach - 1, -1)
      if (at >= from) sums.set(sum, at * topicCount)
    }
    from = to
  }
  return sums
}

/** Makes the columns of a matrix orthonormal (modified Gram-Schmidt). A column that depends on others becomes 0. */
async function orthonormalize(matrix: Float64Array): Promise<void> {
  const size = matrix.length / topicCount
  const columns: Float64Array[] = []
  for (let topic = 0; topic < topicCount; topic++) {
    const column = new Float64Array(size)
    for (let row = 0; row < size; row++) column[row] = matrix[row * topicCount + topic] ?? 0
    const before = lengthOf(column)
    for (const earlier of columns) subtractProjection(column, earlier)
    if (lengthOf(column) < before * 1e-9) column.fill(0)
    normalize(column)
    for (let row = 0; row < size; row++) matrix[row * topicCount + topic] = column[row] ?? 0
    columns.push(column)
    await pause()
  }
}

function subtractProjection(column: Float64Array, onto: Float64Array): void {
  let share = 0
  for (let row = 0; row < column.length; row++) share += (column[row] ?? 0) * (onto[row] ?? 0)
  for (let row = 0; row < column.length; row++) column[row] = (column[row] ?? 0) - share * (onto[row] ?? 0)
}

function addRow(target: Float64Array, row: number, source: Float64Array, from: number, weight: number): void {
  const to = row * topicCount
  const start = from * topicCount
  for (let topic = 0; topic < topicCount; topic++)
    target[to + topic] = (target[to + topic] ?? 0) + weight * (source[start + topic] ?? 0)
}

function dot(a: Float64Array, aRow: number, b: Float64Array, bRow: number): number {
  let sum = 0
  for (let topic = 0; topic < topicCount; topic++)
    sum += (a[aRow * topicCount + topic] ?? 0) * (b[bRow * topicCount + topic] ?? 0)
  return sum
}

function lengthOf(vector: Float64Array): number {
  let sum = 0
  for (let at = 0; at < vector.length; at++) sum += (vector[at] ?? 0) ** 2
  return Math.sqrt(sum)
}

function normalize(vector: Float64Array): void {
  const length = lengthOf(vector)
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length
}
