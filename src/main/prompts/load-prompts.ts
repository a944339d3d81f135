import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import type { AgentPrompts, Language } from './agent-prompts.ts'
import { type PromptId, promptInputs } from './prompt-ids.ts'
import { type PromptTemplate, parsePrompt, renderPrompt } from './prompt-template.ts'
import { OutcomeWords, SituationWords, SurroundingsWords } from './prompt-words.ts'

/**
 * Loads every prompt of both languages from `resources/prompts`.
 *
 * Errors: throws for a file that is missing, has other inputs than the program knows, or is not known at all.
 */
export async function loadPrompts(folder: string): Promise<Record<Language, AgentPrompts>> {
  const [ja, en] = await Promise.all([loadLanguage(join(folder, 'ja')), loadLanguage(join(folder, 'en'))])
  return { ja, en }
}

async function loadLanguage(folder: string): Promise<AgentPrompts> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
  const templates = new Map<string, PromptTemplate>()
  for (const name of names) {
    const id = name.slice(0, -'.md'.length)
    if (!Object.hasOwn(promptInputs, id)) throw new Error(`${folder}: no prompt is named ${id}`)
    const template = parsePrompt(id, await readSmallText(join(folder, name)))
    const wanted: readonly string[] = promptInputs[id as PromptId]
    if (template.inputs.join() !== wanted.join())
      throw new Error(`prompt ${id}: inputs are ${template.inputs.join()}, wanted ${wanted.join()}`)
    templates.set(id, template)
  }
  const missing = Object.keys(promptInputs).filter((id) => !templates.has(id))
  if (missing.length > 0) throw new Error(`${folder}: no prompt ${missing.join(', ')}`)
  const [outcomes, situation, surroundings, decision] = await Promise.all([
    readJson(folder, 'outcome-words', OutcomeWords),
    readJson(folder, 'situation-words', SituationWords),
    readJson(folder, 'surroundings-words', SurroundingsWords),
    readSmallText(join(folder, 'decision-words.json')),
  ])
  return {
    outcomes,
    situation,
    surroundings,
    decision: JSON.parse(decision),
    render: (id, inputs) => renderPrompt(templates.get(id) as PromptTemplate, inputs),
  }
}

async function readJson<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T> {
  return schema.parse(JSON.parse(await readSmallText(join(folder, `${name}.json`))))
}
