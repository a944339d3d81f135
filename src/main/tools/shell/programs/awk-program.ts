/** Pipes, calls by name, back-ticks, joined lines; `||` is no pipe. */
const runs = /[@`]|\\\n|\|/
/** In a print statement `>` writes; in a program without one it can only compare. */
const writes = />>|print.*>|>.*print/s
/** Words that run, read other files than the named ones, or reach them by another way. */
const words =
  /(?<![A-Za-z0-9_])(?:system|getline|close|fflush|ARGV|ARGC|ARGIND|PROCINFO|SYMTAB|FUNCTAB|load|extension|include|namespace)(?![A-Za-z0-9_])/

/** True for an awk program that can only compute and print. Strings are not looked into: `>` in one refuses. */
export function isReadOnlyAwk(program: string): boolean {
  return !writes.test(program) && !runs.test(program.replaceAll('||', '  ')) && !words.test(program)
}

/** True for `-v name=value` that sets a plain variable. */
export function isReadOnlyAssignment(text: string): boolean {
  const name = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(text)?.[1]
  return name !== undefined && !words.test(name)
}
