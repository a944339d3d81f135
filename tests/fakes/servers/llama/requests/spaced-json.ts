/** JSON as a chat template's `tojson` writes it: a space after `,` and `:`, other scripts as they are. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member)}`,
    )
    return `{${members.join(', ')}}`
  }
  return JSON.stringify(value)
}
