import type { ToolContext } from '../defining/tool.ts'
import { ToolRefusal } from '../defining/tool-refusal.ts'
import type { FoundPath } from '../tool-operations.ts'

/**
 * Looks again where a place is that was consented to by its real path.
 *
 * Errors: `ToolRefusal` where it leads elsewhere by now.
 */
export async function samePlace(context: Pick<ToolContext, 'operations'>, path: string): Promise<FoundPath> {
  const found = await context.operations.locate(path)
  refuseOther(path, found.path)
  return found
}

/** Errors: `ToolRefusal` where what was reached is not what was consented to. */
export function refuseOther(path: string, reached: string): void {
  if (reached !== path) throw new ToolRefusal('place.other', { path })
}
