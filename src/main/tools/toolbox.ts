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
   * The same for a model on the direct path: plans, and changes while constraints hold, say what they break. Tools for
   * running commands are included once a result has named them.
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
   * Parses and prepares the calls of one answer, in order: a later edit applies to the result of an earlier one.
   * Changes nothing. Never throws for what a model can write.
   */
  prepare(calls: readonly RawCall[]): Promise<ReadCall[]>
  /** Sets the model's context window, with which the size of results scales. Units: tokens; null: not known. */
  noteWindow?(windowTokens: number | null): void
  /** Returns the read and written files that the session still knows, newest first; a compaction reads them again. */
  filesInUse(): { path: string; from: number; to: number }[]
}
