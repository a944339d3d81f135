import { hash } from 'node:crypto'

/** Returns the SHA-256 of bytes in lower-case hex, by which files are compared and checkpoints are named. */
export function contentHash(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex')
}
