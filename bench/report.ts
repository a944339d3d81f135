/**
 * A measured value with its baseline and goal. Shape: `goal` is the most it may be, or the least; `mostTimes` and
 * `leastTimes` are multiples of the baseline.
 */
export type Comparison = {
  measure: string
  unit: 'ms' | 'µs' | 'MB' | 'tokens' | 'tokens/s' | 'requests' | 'characters' | 'nodes'
  value: number
  baseline?: number
  goal?: Goal
}

type Goal = { most: number } | { least: number } | { mostTimes: number } | { leastTimes: number }

export type Table = { title: string; columns: string[]; rows: string[][] }

/** The results of one subject. Shape: `about` says what was measured, on what, beside which baseline. */
export type Report = { title: string; about: string[]; tables: Table[] }

/** How a subject is measured. `isQuick`: fewer cases and repetitions, for a look while working. */
export type BenchOptions = {
  isQuick: boolean
  /** A llama-server to compare the engine with, absolute. */
  llamaServer: string | null
}

/** A table of values beside those of one named baseline from the same run. */
export function comparisonTable(title: string, baselineName: string, comparisons: Comparison[]): Table {
  return {
    title,
    columns: ['measure', 'value', baselineName, 'ratio', 'goal', 'met'],
    rows: comparisons.map(({ measure, unit, value, baseline, goal }) => [
      measure,
      quantity(value, unit),
      baseline === undefined ? '' : quantity(baseline, unit),
      baseline === undefined ? '' : ratio(value, baseline),
      goal === undefined ? '' : goalText(goal, unit),
      goal === undefined ? '' : yesNo(isMet(goal, value, baseline)),
    ]),
  }
}

function goalText(goal: Goal, unit: string): string {
  if ('mostTimes' in goal) return `≤ ${goal.mostTimes} ×`
  if ('leastTimes' in goal) return `≥ ${goal.leastTimes} ×`
  return 'most' in goal ? `≤ ${goal.most} ${unit}` : `≥ ${goal.least} ${unit}`
}

function isMet(goal: Goal, value: number, baseline = 0): boolean {
  if ('mostTimes' in goal) return value <= goal.mostTimes * baseline
  if ('leastTimes' in goal) return value >= goal.leastTimes * baseline
  return 'most' in goal ? value <= goal.most : value >= goal.least
}

export function quantity(value: number, unit: string): string {
  return `${number(value)} ${unit}`
}

/** Three digits tell enough of a measured value; counts are whole. */
export function number(value: number): string {
  const isCount = Number.isInteger(value) || Math.abs(value) >= 100
  return value.toLocaleString('en', isCount ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })
}

export function ratio(value: number, baseline: number): string {
  return `${number(Number((value / baseline).toPrecision(3)))} ×`
}

export function yesNo(isTrue: boolean): string {
  return isTrue ? 'yes' : 'no'
}

export function terminalText({ title, about, tables }: Report): string {
  const blocks = tables.map(({ title, columns, rows }) => [title, ...aligned([columns, ...rows])].join('\n'))
  return [`== ${title}`, ...about, ...blocks].join('\n\n')
}

export function markdownText({ title, about, tables }: Report): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const blocks = tables.map(({ title, columns, rows }) =>
    [
      `**${title}**`,
      '',
      line(columns),
      line(columns.map((_, i) => (i === 0 ? '---' : '---:'))),
      ...rows.map(line),
    ].join('\n'),
  )
  return [`### ${title}`, ...about, ...blocks].join('\n\n')
}

function aligned(lines: string[][]): string[] {
  const widths = (lines[0] ?? []).map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)))
  return lines.map((line) =>
    line
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
