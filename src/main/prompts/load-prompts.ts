import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import {
  type AgentPrompts,
  type Language,
  OutcomeWords,
  type PromptId,
  promptInputs,
  SituationWords,
  SurroundingsWords,
} from './agent-prompts.ts'

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

/** A prompt's text with its placeholders. Shape: `inputs` in the order of the front matter. */
type PromptTemplate = { id: string; purpose: string; inputs: readonly string[]; text: string }

const frontMatter = /^---\r?\npurpose: *(.+)\r?\ninputs: *(.*)\r?\n---\r?\n/
const place = /\{\{([a-zA-Z]+)\}\}/g

/**
 * Reads a prompt file: front matter with `purpose` and `inputs`, then the text.
 *
 * Errors: throws where the front matter is missing or its inputs are not the placeholders of the text.
 */
export function parsePrompt(id: string, source: string): PromptTemplate {
  const head = frontMatter.exec(source)
  if (head === null) throw new Error(`prompt ${id}: no front matter with purpose and inputs`)
  const inputs = (head[2] ?? '').split(',').map((name) => name.trim())
  const named = inputs.filter((name) => name !== '')
  const text = source.slice(head[0].length).replaceAll('\r\n', '\n').trim()
  const used = new Set([...text.matchAll(place)].map((match) => match[1] ?? ''))
  if (new Set(named).size !== named.length) throw new Error(`prompt ${id}: an input is named twice`)
  const unknown = [...used].filter((name) => !named.includes(name))
  const unused = named.filter((name) => !used.has(name))
  if (unknown.length > 0) throw new Error(`prompt ${id}: the text uses ${unknown.join(', ')}, not in inputs`)
  if (unused.length > 0) throw new Error(`prompt ${id}: the text has no place for ${unused.join(', ')}`)
  return { id, purpose: (head[1] ?? '').trim(), inputs: named, text }
}

/**
 * Replaces the placeholders by the inputs, once: placeholders in inserted texts are not replaced.
 *
 * Errors: throws where an input is missing or the template knows no such input.
 */
export function renderPrompt(template: PromptTemplate, inputs: Readonly<Record<string, string>>): string {
  const unknown = Object.keys(inputs).filter((name) => !template.inputs.includes(name))
  if (unknown.length > 0) throw new Error(`prompt ${template.id}: no input ${unknown.join(', ')}`)
  return template.text.replace(place, (_, name: string) => {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    if (value === undefined) throw new Error(`prompt ${template.id}: input ${name} is missing`)
    return value
  })
}
