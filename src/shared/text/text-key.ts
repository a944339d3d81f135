/** Returns a key that ignores width, case, punctuation and spaces of a text; empty where it has nothing else. */
export function textKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, '')
}
