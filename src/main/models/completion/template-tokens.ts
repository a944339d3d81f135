import { bracketed } from './break-control-strings.ts'

/** Finds the names in brackets that a model's chat template writes: its control tokens are among them. */
export function tokensOfTemplate(chatTemplate: string): string[] {
  // Searches outside of expressions, and in the strings within them; an index such as `[0]` is not a token.
  const texts = chatTemplate.replace(/\{[{%]([\s\S]*?)[}%]\}/g, (_, code: string) =>
    (code.match(/'[^']*'|"[^"]*"/g) ?? []).join(' '),
  )
  return [...new Set(texts.match(bracketed) ?? [])]
}
