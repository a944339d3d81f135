import type { Work, WorkEvent } from '../../../shared/domain/work/work.ts'
import type { PageChoice, WorkFile } from '../../../shared/domain/work/work-file.ts'

export function foldWork(work: Work, event: WorkEvent): Work {
  switch (event.type) {
    case 'snapshot':
      return event.work
    case 'files':
      return { ...work, files: event.files }
    case 'details':
      return { ...work, details: event.details, name: event.name }
    case 'progress':
      return { ...work, progress: event.progress }
    case 'work-file':
      return { ...work, workFileProblem: event.problem }
  }
}

/** Returns the page that the author chose for a text; null: as the settings say. */
export function chosenPage(work: Work | null, path: string | null): PageChoice | null {
  return work?.files.find((file) => file.path === path)?.page ?? null
}

export function filesOf(work: Work | null, kind: WorkFile['kind']): WorkFile[] {
  return (work?.files ?? []).filter((file) => file.kind === kind).sort((a, b) => a.order - b.order)
}

/** Returns the language of a chapter; without one, or where it has no letters yet, that of most chapters. */
export function languageIn(work: Work | null, path: string | null): 'ja' | 'en' {
  const chapters = filesOf(work, 'manuscript')
  const own = chapters.find((file) => file.path === path)?.language
  if (own !== undefined) return own
  const english = chapters.filter(({ language }) => language === 'en').length
  const japanese = chapters.filter(({ language }) => language === 'ja').length
  return english > japanese ? 'en' : 'ja'
}

/** Characters, words or pages of all manuscripts. Null until every one was counted. */
export function workTotal(work: Work | null, figure: 'characters' | 'words' | 'pages'): number | null {
  let total = 0
  for (const file of filesOf(work, 'manuscript')) {
    const count = file[figure]
    if (count === undefined) return null
    total += count
  }
  return total
}

/** Returns the file to show first: the one that was open last, else the last manuscript, where writing goes on. */
export function firstPath(work: Work): string | null {
  if (work.lastPath !== null && work.files.some((file) => file.path === work.lastPath)) return work.lastPath
  return filesOf(work, 'manuscript').at(-1)?.path ?? filesOf(work, 'material')[0]?.path ?? null
}

/** Returns a file's name as the list shows it: without the folder and the ending. */
export function displayName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.replace(/\.(txt|text|md|markdown)$/i, '')
}

/** Returns the order after moving one manuscript up (-1) or down (+1); null where it cannot move. */
export function movedOrder(work: Work, path: string, by: -1 | 1): string[] | null {
  const paths = filesOf(work, 'manuscript').map((file) => file.path)
  const from = paths.indexOf(path)
  const to = from + by
  if (from < 0 || to < 0 || to >= paths.length) return null
  paths.splice(to, 0, ...paths.splice(from, 1))
  return paths
}

/** Returns the order with one manuscript put before or after another one; null where nothing would change. */
export function orderBeside(
  work: Work,
  path: string,
  neighbour: string,
  side: 'before' | 'after',
): string[] | null {
  const paths = filesOf(work, 'manuscript').map((file) => file.path)
  const others = paths.filter((one) => one !== path)
  const at = others.indexOf(neighbour)
  if (at < 0 || others.length === paths.length) return null
  others.splice(side === 'before' ? at : at + 1, 0, path)
  return others.every((one, index) => one === paths[index]) ? null : others
}

/** Returns a free name for a new file in the style of its neighbours: `004` after `003 …`. */
export function nextFileName(work: Work, kind: 'manuscript' | 'material', title: string): string {
  const used = new Set(work.files.map((file) => file.path.toLowerCase()))
  const folder = kind === 'material' ? materialFolder(work, title) : ''
  const numbers = filesOf(work, 'manuscript').map((file) => Number.parseInt(displayName(file.path), 10))
  const last = Math.max(0, ...numbers.filter(Number.isFinite))
  for (let count = 1; ; count += 1) {
    const name =
      kind === 'manuscript'
        ? String(last + count).padStart(3, '0')
        : count === 1
          ? title
          : `${title} ${count}`
    const path = `${folder}${name}.txt`
    if (!used.has(path.toLowerCase())) return path
  }
}

/** Returns the folder of the first material; a work without any gets one, whose name says on the disk what is in it. */
function materialFolder(work: Work, title: string): string {
  const first = filesOf(work, 'material')[0]
  return first === undefined ? `${title}/` : first.path.slice(0, first.path.lastIndexOf('/') + 1)
}
