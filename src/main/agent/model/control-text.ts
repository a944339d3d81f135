import type { TemplatePack } from '../../../shared/domain/template-pack.ts'

/** What opens or closes a turn in the templates of the common families. */
const known = /<\|[^|<>\s]{1,40}\|>|<(?:start|end)_of_turn>|\[\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|THINK)\]/g

/**
 * Breaks a template's control strings in a text by a space behind their first character, so that a file's text
 * cannot open a turn. Edits still find such a place: they match white space tolerantly.
 *
 * Source: `../shared/spec/3-agent.md`, Trust. The embedded engine needs none of this.
 */
export function controlBreaker(template: TemplatePack): (text: string) => string {
  const own = [template.wrapper, template.turnEnd ?? '', ...template.stops]
    .flatMap((part) => part.split(/\{\{\w+\}\}|\n/))
    .map((part) => part.trim())
    .filter((part) => /^[<[]/.test(part))
  return (text) => {
    let broken = text.replace(known, broke)
    for (const mark of own) broken = broken.replaceAll(mark, broke)
    return broken
  }
}

function broke(mark: string): string {
  return `${mark.slice(0, 1)} ${mark.slice(1)}`
}
