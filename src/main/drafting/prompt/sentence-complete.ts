/**
 * Tells whether a body ends with a whole sentence.
 *
 * Exactly the seed's rule: without trailing ASCII spaces and tabs the body ends with 。 or 」, or it ends with LF.
 * `isExtended` (the user's choice) also accepts ！？…』）♪ and a full-width space.
 */
export function isSentenceComplete(body: string, isExtended: boolean): boolean {
  if (body.endsWith('\n')) return true
  let to = body.length
  while (to > 0 && (body[to - 1] === ' ' || body[to - 1] === '\t')) to--
  const last = body.charAt(to - 1)
  return last !== '' && (isExtended ? '。」！？…』）♪　' : '。」').includes(last)
}
