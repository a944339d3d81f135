import { randomBytes } from 'node:crypto'
import type { Random } from '../deps.ts'

export const systemRandom: Random = {
  next: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  id: () => randomBytes(16).toString('hex'),
}
