/** Units: KiB of address space. */
const limitMemory = 2_000_000

/**
 * How a program is started that reads files which it finds by itself, and which may be without end: with a limit of
 * memory where the system has one.
 */
export function memoryLimited(program: string): [program: string, before: string[]] {
  if (process.platform !== 'linux') return [program, []]
  return ['/bin/sh', ['-c', `ulimit -v ${limitMemory}; exec "$@"`, 'limited', program]]
}

/** What the shell says of a program that cannot be started. */
export const notExecutable = 126
export const notFound = 127
