import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'

/** The real disk with some operations replaced; a replacement may itself call the real operation. */
export function diskWith(changed: Partial<Disk>): Disk {
  return { ...nodeDisk, ...changed }
}

/** Creates an error like Node's for `code`, such as `ENOSPC`. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: made by a test`), { code })
}
