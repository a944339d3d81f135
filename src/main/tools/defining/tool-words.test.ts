import { describe, expect, it } from 'vitest'
import { toolParts } from '../../../../tests/fakes/rigs/tool-rig.ts'
import { PlanStep } from '../../../shared/domain/session/agent-plan.ts'
import { coreTools, ToolName, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { fillPlaces } from '../../prompts/fill-places.ts'
import { estimateTextTokens } from '../../tokens/token-estimate.ts'
import { allTools } from '../definitions/all-tools.ts'
import { argsSchema, declareTools, type JsonSchema } from '../tool-schema.ts'

/** Returns every text's path, and the places in the text. */
function texts(value: unknown, path = ''): [path: string, places: string][] {
  if (typeof value === 'string') return [[path, (value.match(/\{\{\w+\}\}/g) ?? []).sort().join()]]
  return Object.entries(value as object).flatMap(([key, part]) => texts(part, `${path}/${key}`))
}

/** Returns the paths of all parameters; those inside of lists are joined with dots. */
function parameterPaths(schema: JsonSchema): string[] {
  if (schema.type === 'array') return parameterPaths(schema.items as JsonSchema)
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([key, part]) => [
    key,
    ...parameterPaths(part).map((path) => `${key}.${path}`),
  ])
}

describe('the words for tools', () => {
  it('are the same in both languages, place by place', async () => {
    const { words } = await toolParts()
    expect(texts(words.ja).sort()).toEqual(texts(words.en).sort())
  })

  it('describe every tool and every parameter, and nothing else', async () => {
    const { words } = await toolParts()
    for (const name of ToolName.options) {
      expect(Object.keys(words.en.tools[name].parameters).sort(), name).toEqual(
        parameterPaths(argsSchema(allTools[name])).sort(),
      )
    }
  })

  it('declare the tools sorted, each argument by name, with a reason wherever something is done', async () => {
    const { words } = await toolParts()
    const declared = declareTools(words.ja)
    expect(declared.map(({ name }) => name)).toEqual([...coreTools].sort())
    expect(JSON.stringify(declareTools(words.ja))).toBe(JSON.stringify(declared))
    for (const { name, parameters } of declared) {
      const { properties, required = [] } = parameters as { properties: object; required?: string[] }
      expect(Object.keys(properties), name).toEqual(Object.keys(allTools[ToolName.parse(name)].args.shape))
      const acts = ['write', 'run'].includes(toolTraits[ToolName.parse(name)].access)
      expect(required.includes('reason'), name).toBe(acts)
    }
  })

  it('leave room for work in a small context: all declarations take less than a quarter of 8,192 tokens', async () => {
    const { words } = await toolParts()
    for (const language of ['ja', 'en'] as const)
      expect(estimateTextTokens(JSON.stringify(declareTools(words[language])))).toBeLessThan(2_048)
  })

  it('say what a call goes wrong by: choices, lists, where a text must stand', async () => {
    const { words } = await toolParts()
    const parameters = (name: string): Record<string, unknown> => {
      const { properties } = declareTools(words.en).find((tool) => tool.name === name)?.parameters ?? {}
      return properties as Record<string, unknown>
    }
    expect(parameters('propose_plan').steps).toMatchObject({
      maxItems: 3,
      items: {
        required: ['text', 'kind'],
        properties: { path: { type: 'string' }, kind: { enum: PlanStep.shape.kind.options } },
      },
    })
    expect(parameters('edit').edits).toMatchObject({
      items: { properties: { old_text: { description: expect.stringContaining('exactly once') } } },
    })
  })

  it('count one thing as one', async () => {
    const { words } = await toolParts()
    const { results } = words.en
    const head = (count: number | string, files: number) => fillPlaces(results['grep.head'], { count, files })
    expect([head(1, 1), head(2, 1), head('500+', 3)]).toEqual([
      '1 match in 1 file',
      '2 matches in 1 file',
      '500+ matches in 3 files',
    ])
    expect(fillPlaces(results['list.head'], { path: 'a', count: 1 })).toBe('a: 1 entry')
    expect(fillPlaces(results['glob.head'], { count: 1 })).toBe('1 file')
    const made = (lines: number, bytes: number) =>
      fillPlaces(results['write.created'], { path: 'a', lines, bytes })
    expect([made(1, 7), made(0, 0)]).toEqual(['Made a: 1 line, 7 bytes.', 'Made a: 0 lines, 0 bytes.'])
  })

  it('never look again at what was put into a place', () => {
    expect(fillPlaces('a {{x}} b', { x: '{{y}} $& $1' })).toBe('a {{y}} $& $1 b')
    expect(() => fillPlaces('{{x}}', {})).toThrow('nothing for')
    expect(() => fillPlaces('{{constructor}}', {})).toThrow('nothing for')
  })
})
