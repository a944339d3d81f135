/** Divides `total` by weights into whole parts whose sum is `total`. */
export function divideTokens(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0)
  if (sum === 0) return weights.map(() => 0)
  let reached = 0
  let given = 0
  return weights.map((weight) => {
    reached += weight
    const upTo = Math.round((total * reached) / sum)
    const part = upTo - given
    given = upTo
    return part
  })
}
