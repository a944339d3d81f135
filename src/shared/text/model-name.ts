/**
 * Returns a model's name for people: llama-server reports the path of the file that it was started with.
 *
 * Only a name that ends in `.gguf` is taken for a file: an id such as `org/model` stays as it is.
 */
export function shownModelName(name: string): string {
  const file = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  return /.\.gguf$/i.test(file) ? file.slice(0, -'.gguf'.length) : name
}

/** Returns the size in a name ("270M", "8B", "8x7B") or null. Units: billions of parameters. */
export function parametersInName(name: string): number | null {
  const found = /(?<![a-z0-9.])(?:(\d+)x)?e?(\d{1,4}(?:\.\d+)?)[ -]?([bm])(?![a-z0-9])/i.exec(name)
  if (found === null) return null
  const [, experts, figure, unit] = found
  const billions = Number(figure) * (unit?.toLowerCase() === 'b' ? 1 : 0.001)
  return billions * Number(experts ?? 1)
}
