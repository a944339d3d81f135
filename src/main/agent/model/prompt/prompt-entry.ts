import { z } from 'zod'
import { AttachedImage } from '../../../../shared/domain/image/attached-image.ts'
import { KnownFile } from '../../../../shared/domain/session/file-reference.ts'

/**
 * A piece of what the model was sent or wrote, exactly as it was: a session's prompt is its entries in order, and they
 * are only ever appended. Stored with the session, so that a resumed one sends the same bytes.
 *
 * Shape: `block` is what the host adds at the end of a request (the course, what is wanted now); `calls` of an answer
 * as the model wrote them, rendered natively or as text as the model in use wants it; `callId` of a result. `turn` as
 * in `SessionItem`. `instructions` (AGENTS.md) stand first and once; the text of `base` is the program's and needs no
 * entry; `surroundings` (where the model works) are told once, behind them. `told` of a block: what it says, line by
 * line, so that later blocks say only what has changed; of instructions: whose they are, where the folder was added to
 * the session. `file`: what a text shows of which content of a file, by its real path (lines from 1; 0: none). `files`:
 * those that a call has shown or changed, and those that a note says have changed, as they were then. `images` stand
 * behind the text, or behind the results of an answer. `thought`: what the model thought before the calls of this
 * answer, in the API's field for it; only that model receives it again. `cut`: from here on these entries (by index; of
 * an answer only its thought) and the named parts of the situation are left out of what is sent.
 */
export const PromptEntry = z.object({
  turn: z.int().min(0),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  kind: z.enum([
    'base',
    'instructions',
    'surroundings',
    'message',
    'file',
    'block',
    'decision',
    'reply',
    'work',
    'result',
    'note',
    'summary',
    'cut',
  ]),
  text: z.string(),
  calls: z.array(z.object({ callId: z.string(), name: z.string(), args: z.string() })).optional(),
  callId: z.string().optional(),
  thought: z
    .object({ text: z.string(), field: z.enum(['reasoning_content', 'reasoning']), modelName: z.string() })
    .optional(),
  told: z.record(z.string(), z.string()).optional(),
  file: KnownFile.optional(),
  files: z.array(KnownFile).optional(),
  images: z.array(AttachedImage).optional(),
  cut: z
    .object({ entries: z.array(z.int().min(0)), hasNoQuestions: z.boolean(), hasShortPlan: z.boolean() })
    .optional(),
})
export type PromptEntry = z.infer<typeof PromptEntry>
