import { z } from 'zod'

/** The sites to which a text is posted. `plain` has no notation: readings stand in brackets behind their words. */
export const sites = ['kakuyomu', 'narou', 'aozora', 'plain'] as const

/** Returns all sites, the likeliest for text of a language first: all but `plain` are Japanese. */
export function sitesFor(language: 'ja' | 'en'): readonly Site[] {
  return language === 'ja' ? sites : ['plain', ...sites.filter((site) => site !== 'plain')]
}

/** Returns the sites that a menu lists by default; `sitesFor` also has the others, after these. */
export function sitesInMenu(language: 'ja' | 'en'): readonly Site[] {
  return language === 'ja' ? sites : ['plain']
}

/** `keep`: as written; `single`: at most one in a row; `between`: one between all lines; `none`: no blank line. */
export const blankLineRules = ['keep', 'single', 'between', 'none'] as const

export const Site = z.enum(sites)
export type Site = z.infer<typeof Site>
export const BlankLineRule = z.enum(blankLineRules)
export type BlankLineRule = z.infer<typeof BlankLineRule>

export const ExportFormat = z.enum(['txt', 'md', 'docx', 'epub'])
export type ExportFormat = z.infer<typeof ExportFormat>

/**
 * How a work is exported.
 *
 * Shape: `site` is the notation of `txt`, which the other formats do not need. `dice` maps the source of each die to
 * the option that it gets. `isVertical` holds for `docx` and `epub`.
 */
export const ExportOptions = z.object({
  format: ExportFormat,
  isPerChapter: z.boolean(),
  isVertical: z.boolean(),
  site: Site,
  blankLines: BlankLineRule,
  dice: z.record(z.string(), z.string()),
  /** The author's name, for the formats that have a place for it; empty: none. */
  author: z.string().max(1_000),
})
export type ExportOptions = z.infer<typeof ExportOptions>

/** A manuscript with its text as it stands in the window. Shape: `path` relative to the work; LF line ends. */
export const ManuscriptText = z.object({ path: z.string(), text: z.string() })
export type ManuscriptText = z.infer<typeof ManuscriptText>
