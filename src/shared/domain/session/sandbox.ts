import { z } from 'zod'

/**
 * What of the sandbox for commands did not hold in its trial.
 *
 * Shape: `system`: not Linux; `program`: bubblewrap, or `unshare` of util-linux, is missing (`detail` names it);
 * `namespaces`, `overlay`, `start`: the system refuses them; the others name what a command could do in the trial.
 */
export const SandboxPart = z.enum([
  'system',
  'program',
  'kernel',
  'namespaces',
  'overlay',
  'start',
  'outside',
  'network',
  'secret',
  'unmount',
  'socket',
])
export type SandboxPart = z.infer<typeof SandboxPart>

/**
 * Why a sandboxed command may have failed that would not have failed outside. `size`: it changed too much; `mount`: the
 * copy could not be made, so it did not run.
 */
export const SandboxHindrance = z.enum(['network', 'right', 'secret', 'size', 'mount'])
export type SandboxHindrance = z.infer<typeof SandboxHindrance>

/** Whether commands can be run in a sandbox on this machine. Shape: `detail` is what the system said, may be empty. */
export const SandboxStatus = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), version: z.string() }),
  z.object({ kind: z.literal('none'), part: SandboxPart, detail: z.string() }),
])
export type SandboxStatus = z.infer<typeof SandboxStatus>
