import { type Disk, nodeDisk } from '../../src/main/platform/files/disk.ts'

/** The real disk with some operations replaced; what is replaced decides whether it goes on to the real one. */
export function diskWith(changed: Partial<Disk>): Disk {
  return { ...nodeDisk, ...changed }
}

/** What Node throws for `code`, as `ENOSPC`. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: made by a test`), { code })
}
