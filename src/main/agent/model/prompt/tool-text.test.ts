import { describe, expect, it } from 'vitest'
import { toolRig } from '../../../../../tests/fakes/rigs/tool-rig.ts'
import { toolsText } from './tool-text.ts'

describe('the tools in words', () => {
  it('say of each parameter what it is, what it may be and whether it may be left out', () => {
    const parameters = {
      type: 'object',
      required: ['path', 'steps'],
      properties: {
        path: { type: 'string' },
        since: { type: 'integer', description: 'only what came after this byte' },
        steps: {
          type: 'array',
          description: 'one to three',
          items: {
            type: 'object',
            required: ['kind'],
            properties: { kind: { enum: ['read', 'write'], description: 'what it does' } },
          },
        },
      },
    }
    expect(toolsText([{ name: 'look', description: 'Look at it.', parameters }])).toBe(
      '- look: Look at it. {"path": string, "since"?: integer (only what came after this byte), ' +
        '"steps": [{"kind": "read" | "write" (what it does)}, …] (one to three)}',
    )
  })

  it.each(['ja', 'en'] as const)(
    'hold every word of the declarations, and are the same each time: %s',
    async (language) => {
      const { toolbox } = await toolRig({ language })
      const declarations = toolbox.declarations
      const text = toolsText(declarations)
      expect(toolsText((await toolRig({ language })).toolbox.declarations)).toBe(text)
      const words = JSON.stringify(declarations).matchAll(/"description":("(?:[^"\\]|\\.)+")/g)
      const all = [...words].map(([, said = '""']) => JSON.parse(said) as string)
      expect(all.length).toBeGreaterThan(20)
      for (const said of all) expect(text).toContain(said)
    },
  )
})
