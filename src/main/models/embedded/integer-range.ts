/**
 * Returns a GBNF expression for the whole numbers from `min` to `max`, both not negative, without leading zeros.
 *
 * Shape: one alternative for each range of numbers that differ only in their last digits.
 */
export function integerRange(min: number, max: number): string {
  const options: string[] = []
  for (let from = min; from <= max; ) {
    const to = stretchEnd(from, max)
    options.push(stretch(String(from), String(to)))
    from = to + 1
  }
  return options.length === 1 ? (options[0] ?? '') : `(${options.join(' | ')})`
}

/** Returns the end of the longest range from `from` in which one digit varies and all digits after it are free. */
function stretchEnd(from: number, max: number): number {
  const digits = String(from)
  for (let free = digits.length - 1; free >= 0; free--) {
    const unit = 10 ** free
    if (from % unit !== 0) continue
    const last = Math.floor(from / unit / 10) * 10 + 9
    for (let top = last; top * unit >= from; top--) {
      const to = top * unit + unit - 1
      const isSameLength = String(to).length === digits.length
      if (to <= max && isSameLength) return to
    }
  }
  return from
}

function stretch(from: string, to: string): string {
  let same = 0
  while (same < from.length && from[same] === to[same]) same++
  const head = same > 0 ? `"${from.slice(0, same)}"` : ''
  if (same === from.length) return head
  const digit = `[${from[same]}-${to[same]}]`
  const free = from.length - same - 1
  const rest = free === 0 ? '' : free === 1 ? '[0-9]' : `[0-9]{${free}}`
  return [head, digit, rest].filter((part) => part !== '').join(' ')
}
