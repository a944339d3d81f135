import type { ToolName } from '../../shared/domain/session/tool-name.ts'
import type { ToolDeclaration } from '../models/client/model-client.ts'
import type { RawCall, ReadCall } from './prepared-call.ts'

export type CallSchemaOptions = { tools?: readonly ToolName[]; most?: number }

/** The tools of one session over one world. */
export type Toolbox = {
  /**
   * Starts added servers that were not started yet. Returns the names of those that are still starting: their tools are
   * declared from the next request on. Absent: there are none.
   */
  begin?(): string[]
  /** Sorted by name, and the same from a session's first message on until the user switches tools or servers. */
  readonly declarations: readonly ToolDeclaration[]
  /**
   * The same for a model on the direct path: a plan, and a change while constraints hold, says what it breaks. Tools for
   * commands that run stand in it once a result has named them.
   */
  directDeclarations?(
    course: { constraints: readonly string[] },
    results: readonly { role: string; text: string }[],
  ): readonly ToolDeclaration[]
  /**
   * A schema of `{calls: [{tool, args}, …]}` for models without native calls; no call at all ends the work. Paths
   * and old lines are constrained to what exists where the grammar stays small.
   *
   * Shape: `tools` are those that the current step takes (all), `most` calls of one answer (4).
   */
  callSchema(options?: CallSchemaOptions): Promise<Record<string, unknown>>
  /**
   * Parses and prepares the calls of one answer, in order: a later edit is made on what an earlier one leaves.
   * Touches nothing. Never throws for what a model can write.
   */
  prepare(calls: readonly RawCall[]): Promise<ReadCall[]>
  /** The model's context window: what it reads of one result scales with it. Units: tokens; null: not known. */
  noteWindow?(windowTokens: number | null): void
  /** Read and written files that the session still knows, newest first: what a compaction reads again. */
  filesInUse(): { path: string; from: number; to: number }[]
}
