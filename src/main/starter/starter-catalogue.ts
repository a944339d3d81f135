import path from 'node:path'
import { z } from 'zod'
import { StarterModel } from '../../shared/domain/model/model-catalogue.ts'
import { readSmallText } from '../platform/files/read-regular-file.ts'

/** A file inside a wheel (a zip) of a Python package. */
const WheelMember = z.object({ package: z.string(), version: z.string(), member: z.string() })
export type WheelMember = z.infer<typeof WheelMember>

/**
 * A starter model and the source of its bytes.
 *
 * Shape: `parts`, joined in order, are the GGUF file; `notices` are kept beside it under their own names.
 * Units: `sizeBytes` is the file, `downloadBytes` all wheels together.
 */
export const StarterEntry = StarterModel.extend({
  file: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  downloadBytes: z.int().positive(),
  parts: z.array(WheelMember).min(1),
  notices: z.array(WheelMember.extend({ file: z.string() })),
})
export type StarterEntry = z.infer<typeof StarterEntry>

const Catalogue = z.object({ starters: z.array(StarterEntry).min(1) })

/** Reads `resources/model-catalogue.json`; it ships with the app, so a fault in it is a bug. */
export async function readStarterCatalogue(resourcesDir: string): Promise<StarterEntry[]> {
  const text = await readSmallText(path.join(resourcesDir, 'model-catalogue.json'))
  return Catalogue.parse(JSON.parse(text)).starters
}

/** Returns the requested entry, else the first that writes the system's language; undefined for an unknown id. */
export function chooseStarter(
  entries: readonly StarterEntry[],
  asked: string | null,
  locale: string,
): StarterEntry | undefined {
  if (asked !== null) return entries.find((entry) => entry.starterId === asked)
  const language = locale.toLowerCase().startsWith('ja') ? 'ja' : 'en'
  return entries.find((entry) => entry.languages.includes(language))
}

/** Returns the part of an entry that windows receive. */
export function toStarterModel(entry: StarterEntry): StarterModel {
  const { starterId, name, sizeBytes, languages, licence, termsId } = entry
  return { starterId, name, sizeBytes, languages, licence, termsId }
}
