import { hash } from 'node:crypto'

/** SHA-256 of bytes, lower-case hex: how files are compared and checkpoints are named. */
export function contentHash(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex')
}
