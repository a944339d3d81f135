/**
 * A model's name for people: llama-server names the file that it was started with, as a path.
 *
 * Only what ends in `.gguf` is taken for a file: an id such as `org/model` is a name.
 */
export function shownModelName(name: string): string {
  const file = /([^/\\]+)\.gguf$/i.exec(name)
  return file?.[1] ?? name
}
