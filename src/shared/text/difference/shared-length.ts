/** Returns the length of the common beginning, in UTF-16 units. */
export function sharedLength(left: string, right: string): number {
  const end = Math.min(left.length, right.length)
  let length = 0
  while (length < end && left.charCodeAt(length) === right.charCodeAt(length)) length += 1
  return length
}
