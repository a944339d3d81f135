import { bracketed } from './break-control-strings.ts'

/** What a model's own chat template writes in brackets: its tokens, and the names that its parsers know. */
export function tokensOfTemplate(chatTemplate: string): string[] {
  // Outside of expressions, and in the texts within them; an index such as `[0]` is no token.
  const texts = chatTemplate.replace(/\{[{%]([\s\S]*?)[}%]\}/g, (_, code: string) =>
    (code.match(/'[^']*'|"[^"]*"/g) ?? []).join(' '),
  )
  return [...new Set(texts.match(bracketed) ?? [])]
}
