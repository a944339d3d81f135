import { z } from 'zod'

/**
 * Returns the schema of a change to `schema`: every field may be left out, and what is left out stays as it is.
 *
 * Defaults are removed: zod fills a default in even where the field is optional, which would reset
 * what the patch does not name.
 */
export function patchOf<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
): z.ZodType<Partial<z.output<z.ZodObject<S>>>> {
  const shape: Record<string, z.ZodType> = {}
  for (const [name, field] of Object.entries(schema.shape)) {
    const type = field instanceof z.ZodDefault ? field.unwrap() : field
    shape[name] = z.exactOptional(type as z.ZodType)
  }
  return z.strictObject(shape) as unknown as z.ZodType<Partial<z.output<z.ZodObject<S>>>>
}
