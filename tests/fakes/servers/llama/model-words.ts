/** What the fake says when no script does: the same prose each time, long enough for any limit. */
const prose =
  'The rain had stopped around midnight. When she opened the window the smell of wet earth came in. ' +
  'A cat lay curled on the veranda and a train whistled far away. 「もう行くのか」と祖父が言った。' +
  '彼女は答えず、鞄の金具を留めた。\n'

export function proseFrom(seed: number): string {
  const start = Math.abs(seed * 7) % 40
  const from = prose.indexOf(' ', start)
  return (prose.slice(from).trimStart() + prose).repeat(8)
}
