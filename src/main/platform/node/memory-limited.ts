/** Units: KiB of address space. */
const limitMemory = 2_000_000

/**
 * Returns the program and the first arguments that start `program` with a memory limit. Use it for a program that
 * chooses its files by itself: one of them may be endless, such as `/dev/zero`. The limit is set on Linux only.
 */
export function memoryLimited(program: string): [program: string, before: string[]] {
  if (process.platform !== 'linux') return [program, []]
  return ['/bin/sh', ['-c', `ulimit -v ${limitMemory}; exec "$@"`, 'limited', program]]
}

/** The exit codes of a POSIX shell for a program that it cannot start. */
export const notExecutable = 126
export const notFound = 127
