/** Writing (`>`), pipes, calls by name, back-ticks, joined lines; `||` is no pipe. */
const writesOrRuns = /[>@`]|\\\n|\|/
/** Words that run, read other files than the named ones, or reach them by another way. */
const words =
  /(?<![A-Za-z0-9_])(?:system|getline|close|fflush|ARGV|ARGC|ARGIND|PROCINFO|SYMTAB|FUNCTAB|load|extension|include|namespace)(?![A-Za-z0-9_])/

/** True for an awk program that can only compute and print. Strings are not looked into: `>` in one refuses. */
export function isReadOnlyAwk(program: string): boolean {
  return !writesOrRuns.test(program.replaceAll('||', '  ')) && !words.test(program)
}

/** True for `-v name=value` that sets a plain variable. */
export function isReadOnlyAssignment(text: string): boolean {
  const name = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(text)?.[1]
  return name !== undefined && !words.test(name)
}
