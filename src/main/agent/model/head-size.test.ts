import { expect, it } from 'vitest'
import { prompts } from '../../../../tests/fakes/agent/agent-talk.ts'
import { toolParts } from '../../../../tests/fakes/rigs/tool-rig.ts'
import { estimateTextTokens } from '../../tokens/token-estimate.ts'
import { changingTools, declareTools, directTools } from '../../tools/tool-schema.ts'

const limitTokens = 3_000

it.each(['ja', 'en'] as const)(
  'asks for at most 3,000 tokens before a first message, %s',
  async (language) => {
    const { words } = await toolParts()
    const { render } = prompts[language]
    const texts = [render('base', {}), render('policy', {}), render('direct', {})]
    // With pages of the Web and with constraints as well: every tool of a first request in its longest form.
    const web = { check: () => undefined, read: () => Promise.reject(new Error('no page is read')) }
    const explorer = { explore: () => Promise.reject(new Error('nothing is explored')) }
    const declared = declareTools(
      words[language],
      directTools({ web: () => web, explorer: () => explorer }, false),
      [...changingTools, 'propose_plan'],
    )
    const tokens = estimateTextTokens([...texts, JSON.stringify(declared)].join('\n'))
    expect(tokens).toBeLessThanOrEqual(limitTokens)
    expect(tokens).toBeGreaterThan(limitTokens / 2)
  },
)
