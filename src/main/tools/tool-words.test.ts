import { describe, expect, it } from 'vitest'
import { toolParts } from '../../../tests/fakes/tool-bench.ts'
import { ToolName } from '../../shared/domain/tool-name.ts'
import { allTools } from './all-tools.ts'
import { declareTools, parameterPaths } from './tool-schema.ts'
import { fillPlaces } from './tool-words.ts'

/** Every text with its path, and the places that it has. */
function texts(value: unknown, path = ''): [path: string, places: string][] {
  if (typeof value === 'string') return [[path, (value.match(/\{\{\w+\}\}/g) ?? []).sort().join()]]
  return Object.entries(value as object).flatMap(([key, part]) => texts(part, `${path}/${key}`))
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
        parameterPaths(allTools[name]).sort(),
      )
    }
  })

  it('declare the tools sorted, each parameter described, with a reason wherever something is done', async () => {
    const { words } = await toolParts()
    const declared = declareTools(words.ja)
    expect(declared.map(({ name }) => name)).toEqual([...ToolName.options].sort())
    expect(JSON.stringify(declareTools(words.ja))).toBe(JSON.stringify(declared))
    for (const { name, parameters } of declared) {
      const { properties, required, additionalProperties } = parameters as {
        properties: Record<string, { description?: string }>
        required?: string[]
        additionalProperties: boolean
      }
      for (const [key, part] of Object.entries(properties))
        expect(part.description, `${name}.${key}`).toBeTruthy()
      expect(additionalProperties).toBe(false)
      const acts = ['edit', 'write_file', 'delete_file', 'move_file', 'run_command'].includes(name)
      expect(required?.includes('reason') ?? false, name).toBe(acts)
    }
  })

  it('never look again at what was put into a place', () => {
    expect(fillPlaces('a {{x}} b', { x: '{{y}} $& $1' })).toBe('a {{y}} $& $1 b')
    expect(() => fillPlaces('{{x}}', {})).toThrow('tool-words')
    expect(() => fillPlaces('{{constructor}}', {})).toThrow('tool-words')
  })
})
