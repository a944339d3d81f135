import { z } from 'zod'

/**
 * The part of the sandbox for commands that failed in its trial.
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
 * Why a command may have failed because of the sandbox. `size`: it changed too much. The command did not run: `mount`,
 * where the copy could not be made; `unlisted`, where the folder's secrets could not be found in time.
 */
export const SandboxHindrance = z.enum(['network', 'right', 'secret', 'size', 'mount', 'unlisted'])
export type SandboxHindrance = z.infer<typeof SandboxHindrance>

/**
 * Whether commands can run in a sandbox on this machine.
 *
 * Shape: `version` of bubblewrap, `wall` a name of the sandbox's options; `detail` is the system's message, or empty.
 */
export const SandboxStatus = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), version: z.string(), wall: z.string() }),
  z.object({ kind: z.literal('none'), part: SandboxPart, detail: z.string() }),
])
export type SandboxStatus = z.infer<typeof SandboxStatus>
