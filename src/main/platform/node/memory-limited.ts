/** Units: KiB of address space. */
const limitMemory = 2_000_000

/**
 * Answers with the program and the first arguments by which `program` is started with a limit of its memory. Use it for
 * a program that chooses its files by itself: one of them may be endless, such as `/dev/zero`. Only Linux has a limit.
 */
export function memoryLimited(program: string): [program: string, before: string[]] {
  if (process.platform !== 'linux') return [program, []]
  return ['/bin/sh', ['-c', `ulimit -v ${limitMemory}; exec "$@"`, 'limited', program]]
}

/** The exit codes of a POSIX shell for a program that it cannot start. */
export const notExecutable = 126
export const notFound = 127
