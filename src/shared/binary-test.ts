/**
 * Messages by which the engine's child asks the process above it to run node-llama-cpp's test of a native binary.
 *
 * They travel beside the frames of `wire.ts` on the same channel; `binaryTest` tells them apart.
 * Source: `node-llama-cpp/dist/bindings/utils/testBindingBinary.js` and the messages it exchanges with its parent.
 */
export type BinaryTestRequest =
  | { binaryTest: 'start'; id: number }
  | { binaryTest: 'send'; id: number; message: unknown }
  | { binaryTest: 'kill'; id: number }

/** `message`: a message of the test process; `exit`: its end, after which nothing more comes. */
export type BinaryTestReport =
  | { binaryTest: 'message'; id: number; message: unknown }
  | { binaryTest: 'exit'; id: number; code: number }

export function isBinaryTestRequest(value: unknown): value is BinaryTestRequest {
  return hasKind(value, ['start', 'send', 'kill'])
}

export function isBinaryTestReport(value: unknown): value is BinaryTestReport {
  return hasKind(value, ['message', 'exit'])
}

function hasKind(value: unknown, kinds: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null || !('binaryTest' in value)) return false
  return kinds.includes(String(value.binaryTest)) && 'id' in value && typeof value.id === 'number'
}
