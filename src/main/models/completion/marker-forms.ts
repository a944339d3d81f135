/** Matches a text that has the form of a control token: a name in brackets, or a name between two rare symbols. */
const candidate =
  /[<＜﹤][^\s<>＜＞﹤﹥\u2060]{1,80}[>＞﹥]|[[［]\/?[\p{L}\p{N}_|:-]{2,40}[\]］]|[\u25a0-\u27ff\u2980-\u2bff][^\s\u2060\u25a0-\u27ff\u2980-\u2bff]{1,40}[\u25a0-\u27ff\u2980-\u2bff]/gu

/** Finds the parts of `text` that have the form of a control token. Each string is listed once. */
export function candidatesIn(text: string): string[] {
  return [...new Set(text.match(candidate) ?? [])]
}

/** Matches HTML elements, which many vocabularies have as single tokens, and which no chat template uses. */
const markup =
  /^<\/?(?:[abipqu]|abbr|article|aside|blockquote|body|br|caption|cite|code|dd|del|details|div|dl|dt|em|figure|footer|form|h[1-6r]|head|header|html|img|input|ins|kbd|label|li|link|main|mark|meta|nav|ol|option|pre|ruby|r[bpt]|samp|script|section|select|small|span|strike|strong|style|su[bp]|summary|svg|table|tbody|td|tfoot|th|thead|title|tr|ul|var)>$/

/** True for a possible control token among those that a model's maker added by hand: not for words, spaces, or HTML. */
export function isNameInSigns(text: string): boolean {
  return /\p{L}/u.test(text) && /[^\p{L}\p{M}\p{N}\s▁]/u.test(text) && !markup.test(text)
}

/** True for a text that as a whole has the form of a control token, and is not an element of HTML. */
export function isWholeForm(piece: string): boolean {
  const [found] = candidatesIn(piece)
  return found === piece && !markup.test(piece)
}

/** A name in brackets. */
export const bracketed = /<[^\s<>]{1,80}>|\[\/?[\p{L}_|]{2,40}\]/gu

/** Finds the names in brackets that a model's chat template writes: its control tokens are among them. */
export function tokensOfTemplate(chatTemplate: string): string[] {
  // Searches outside of expressions, and in the strings within them; an index such as `[0]` is not a token.
  const texts = chatTemplate.replace(/\{[{%]([\s\S]*?)[}%]\}/g, (_, code: string) =>
    (code.match(/'[^']*'|"[^"]*"/g) ?? []).join(' '),
  )
  return [...new Set(texts.match(bracketed) ?? [])]
}
