/**
 * Tells whether a body ends with a whole sentence.
 *
 * Exactly the seed's rule: without trailing ASCII spaces and tabs it ends with 。 or 」, or it ends with LF as it
 * stands. `isExtended` (the user's choice) also takes ！？…』）♪ and a full-width space.
 */
export function isSentenceComplete(body: string, isExtended: boolean): boolean {
  if (body.endsWith('\n')) return true
  let to = body.length
  while (to > 0 && (body[to - 1] === ' ' || body[to - 1] === '\t')) to--
  const last = body.charAt(to - 1)
  return last !== '' && (isExtended ? '。」！？…』）♪　' : '。」').includes(last)
}
