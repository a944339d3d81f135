/**
 * Fills a sentence's places in one pass: places inside an inserted value are not filled. `{{name|line|lines}}` becomes
 * the first word where the value of that name is 1, else the second.
 */
export function fillPlaces(sentence: string, values: Readonly<Record<string, unknown>>): string {
  return sentence.replace(placeholders, (_, name: string, one?: string, other?: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`nothing for {{${name}}} in "${sentence}"`)
    const value = String(values[name])
    return one === undefined || other === undefined ? value : value === '1' ? one : other
  })
}

const placeholders = /\{\{([a-zA-Z]+)(?:\|([^|{}]+)\|([^|{}]+))?\}\}/g
