import type { ToolContext } from '../defining/tool.ts'
import { ToolRefusal } from '../defining/tool-refusal.ts'
import type { FoundPath } from '../tool-operations.ts'

/**
 * Locates a path again, after consent to its real path was given.
 *
 * Errors: `ToolRefusal` where the path leads elsewhere by now.
 */
export async function samePlace(context: Pick<ToolContext, 'operations'>, path: string): Promise<FoundPath> {
  const found = await context.operations.locate(path)
  refuseOther(path, found.path)
  return found
}

/** Errors: `ToolRefusal` where `reached` is not the path that was consented to. */
export function refuseOther(path: string, reached: string): void {
  if (reached !== path) throw new ToolRefusal('place.other', { path })
}
