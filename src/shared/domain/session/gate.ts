import { z } from 'zod'
import { RiskLevel } from './agent-plan.ts'
import { SandboxHindrance } from './sandbox.ts'
import { ToolName } from './tool-name.ts'
import { ChangedFile } from './tool-result.ts'

/** A reason for a risk, found by rules alone. `detail`: file, program or host; a count for `many-…`. */
export const RiskReason = z.object({
  code: z.enum([
    'deletion',
    'secret',
    'many-files',
    'many-lines',
    'unparsed',
    'destructive',
    'network',
    'privileged',
    'outside',
    'opaque',
    'script',
    'lock-file',
    'ci',
    'protected',
    'executable',
    'command',
    'site',
    'service',
    'tool-changed',
    'tool-unbound',
    'plan',
    'ignored-folder',
    'link-outside',
  ]),
  detail: z.string(),
})
export type RiskReason = z.infer<typeof RiskReason>

export const RiskReport = z.object({ level: RiskLevel, reasons: z.array(RiskReason) })
export type RiskReport = z.infer<typeof RiskReport>

/** A file that a gate would change. `hunks`: the number of places that can be taken or left one by one. */
export const GateFile = ChangedFile.extend({ hunks: z.int().min(0), sizeBytes: z.int().min(0) })
export type GateFile = z.infer<typeof GateFile>

/**
 * The effects of a command other than changed files. Units: bytes.
 *
 * Shape: of `ignored`, `files` are put there and `removed` deleted; of the kinds of `left`, a `name` cannot be opened
 * here, and a `place` cannot be written.
 */
export const GateEffects = z.object({
  ignored: z.array(
    z.object({
      top: z.string(),
      files: z.int(),
      removed: z.int(),
      sizeBytes: z.number(),
      leadsOut: z.boolean(),
    }),
  ),
  conflicts: z.array(z.string()),
  left: z.array(
    z.object({
      path: z.string(),
      kind: z.enum(['link', 'fifo', 'socket', 'device', 'name', 'mode', 'place']),
    }),
  ),
})
export type GateEffects = z.infer<typeof GateEffects>

/**
 * One call of a gate: its five points. Intent, reason and alternatives are the model's words; effect and diff
 * are facts.
 *
 * Shape: `isReasonFromDecision`: the call gave no reason, so `reason` is the decision's rationale. `patterns`: what
 * *always allow* would allow from now on; none where nothing may be allowed permanently. `hash` is of what
 * would be done. Of `files`, `command`, `reads`, `outside` the ones that apply are filled. `plan`: a plan gate's
 * steps. `outside`: the site or tool and the request to it; absent in what earlier versions stored.
 */
export const GateCall = z.object({
  callId: z.string(),
  tool: ToolName,
  hash: z.string(),
  intent: z.string(),
  reason: z.string(),
  isReasonFromDecision: z.boolean(),
  alternatives: z.array(z.string()),
  risk: RiskReport,
  /** Absent in what earlier versions stored. */
  patterns: z.array(z.string()).optional(),
  files: z.array(GateFile),
  command: z
    .object({ line: z.string(), folder: z.string(), parts: z.array(z.string()), isBackground: z.boolean() })
    .nullable(),
  reads: z.array(z.string()),
  outside: z.object({ place: z.string(), line: z.string() }).optional(),
  /** For an approval of a command's changes: its other effects. */
  effects: GateEffects.optional(),
  /** `offered`: the command could run in a copy of the folder. Else why it failed there, and should run outside. */
  sandbox: z.union([z.literal('offered'), SandboxHindrance]).optional(),
  plan: z.object({ purpose: z.string(), steps: z.array(z.string()), successCriteria: z.string() }).nullable(),
})
export type GateCall = z.infer<typeof GateCall>

/** A question for consent as it is shown. `risk` is the highest of its calls. */
export const GateView = z.object({
  gateId: z.string(),
  kind: z.enum(['calls', 'plan', 'apply', 'effects']),
  calls: z.array(GateCall).min(1),
  risk: RiskReport,
})
export type GateView = z.infer<typeof GateView>

/** The content of one file of a gate as text, before and after. Null: no such file. */
export const GateDiff = z.object({
  path: z.string(),
  oldText: z.string().nullable(),
  newText: z.string().nullable(),
})
export type GateDiff = z.infer<typeof GateDiff>

/** The user's answer to one call of a gate. `refusedHunks`: indexes as `diffHunks` numbers them, per file. */
export const GateCallAnswer = z.object({
  callId: z.string(),
  shownHash: z.string(),
  isApproved: z.boolean(),
  refusedHunks: z.array(z.object({ path: z.string(), hunks: z.array(z.int().min(0)) })),
})
export type GateCallAnswer = z.infer<typeof GateCallAnswer>

/**
 * An answer to a gate.
 *
 * Shape: `sincePaintedMs` is the time between the gate's painting and the first key or press of this answer.
 * `remember`: `session` or `always` (in this folder) also allows similar calls from now on; `sandbox` runs commands of
 * the folder in a copy from now on, beginning with this one.
 */
export const GateAnswerInput = z.object({
  gateId: z.string(),
  sincePaintedMs: z.number(),
  verdict: z.enum(['approve', 'refuse']),
  answers: z.array(GateCallAnswer).max(200),
  reason: z.string().max(4000).nullable(),
  remember: z.enum(['session', 'always', 'sandbox']).nullable(),
})
export type GateAnswerInput = z.infer<typeof GateAnswerInput>
