/** A text by which two are the same whatever their width, case, punctuation and spaces; empty where it has no more. */
export function textKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, '')
}
