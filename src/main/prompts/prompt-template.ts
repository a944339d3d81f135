/** A prompt's text with its placeholders. Shape: `inputs` in the order of the front matter. */
export type PromptTemplate = { id: string; purpose: string; inputs: readonly string[]; text: string }

const frontMatter = /^---\r?\npurpose: *(.+)\r?\ninputs: *(.*)\r?\n---\r?\n/
const place = /\{\{([a-zA-Z]+)\}\}/g

/**
 * Reads a prompt file: front matter with `purpose` and `inputs`, then the text.
 *
 * Errors: throws where the front matter is missing or its inputs are not the placeholders of the text.
 */
export function parsePrompt(id: string, source: string): PromptTemplate {
  const head = frontMatter.exec(source)
  if (head === null) throw new Error(`prompt ${id}: no front matter with purpose and inputs`)
  const inputs = (head[2] ?? '').split(',').map((name) => name.trim())
  const named = inputs.filter((name) => name !== '')
  const text = source.slice(head[0].length).replaceAll('\r\n', '\n').trim()
  const used = new Set([...text.matchAll(place)].map((match) => match[1] ?? ''))
  if (new Set(named).size !== named.length) throw new Error(`prompt ${id}: an input is named twice`)
  const unknown = [...used].filter((name) => !named.includes(name))
  const unused = named.filter((name) => !used.has(name))
  if (unknown.length > 0) throw new Error(`prompt ${id}: the text uses ${unknown.join(', ')}, not in inputs`)
  if (unused.length > 0) throw new Error(`prompt ${id}: the text has no place for ${unused.join(', ')}`)
  return { id, purpose: (head[1] ?? '').trim(), inputs: named, text }
}

/**
 * Replaces the placeholders by the inputs, once: placeholders in inserted texts are not replaced.
 *
 * Errors: throws where an input is missing or the template knows no such input.
 */
export function renderPrompt(template: PromptTemplate, inputs: Readonly<Record<string, string>>): string {
  const unknown = Object.keys(inputs).filter((name) => !template.inputs.includes(name))
  if (unknown.length > 0) throw new Error(`prompt ${template.id}: no input ${unknown.join(', ')}`)
  return template.text.replace(place, (_, name: string) => {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    if (value === undefined) throw new Error(`prompt ${template.id}: input ${name} is missing`)
    return value
  })
}
