import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { SamplePageEvent } from '../../../shared/domain/work/work.ts'
import type { Clock } from '../../deps.ts'
import { comparePaths } from '../../platform/files/natural-order.ts'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import { plainPrompt } from '../client/model-client.ts'
import { likeliest } from '../client/sampler-table.ts'
import { loadTemplates } from '../profiles/template-pack.ts'
import { createDemoClient, loadDemoScripts } from './demo-client.ts'

const limitTokens = 500
/** Number of paragraphs that are shown of the chapter's end. */
const shownParagraphs = { ja: 3, en: 2 } as const

/** Yields the sample's last page, then its continuation by the demo, whatever model is in use. */
export async function* readSamplePage(
  deps: { clock: Clock; resourcesDir: string; tokenMs?: number },
  { language, seed }: { language: 'ja' | 'en'; seed: number },
  signal: AbortSignal,
): AsyncGenerator<SamplePageEvent, void, void> {
  const folder = join(deps.resourcesDir, 'sample', language)
  const chapters = (await readdir(folder)).filter((name) => name.endsWith('.txt')).sort(comparePaths)
  const [details, chapter] = await Promise.all([
    readSmallText(join(folder, 'work.json')),
    readSmallText(join(folder, chapters.at(-1) ?? '')),
  ])
  const { title } = z.object({ title: z.string() }).parse(JSON.parse(details))
  const lines = chapter.trimEnd().split('\n')
  const paragraphs = lines.filter((line) => line !== '').slice(-shownParagraphs[language])
  const text = paragraphs.join(lines.includes('') ? '\n\n' : '\n')
  yield { type: 'page', title, text }

  const [scripts, templates] = await Promise.all([
    loadDemoScripts(deps.resourcesDir),
    loadTemplates(join(deps.resourcesDir, 'templates')),
  ])
  const template = templates.get('plain')
  if (template === undefined) throw new Error('The template "plain" is missing.')
  const { tokenMs } = deps
  const options = { scripts, language, template, contextTokens: undefined }
  const demo = createDemoClient(deps, { ...options, ...(tokenMs !== undefined && { tokenMs }) })
  const request = { prompt: plainPrompt(text), sampler: likeliest, maxTokens: limitTokens, stops: [], seed }
  for await (const event of demo.complete(request, signal)) {
    if (event.type === 'text') yield { type: 'text', text: event.text }
  }
}
