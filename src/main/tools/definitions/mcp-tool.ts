import { z } from 'zod'
import { clipLine } from '../../../shared/text/clip-line.ts'
import { ServerFailure } from '../../mcp/server-failure.ts'
import { cutMiddle, harmless } from '../defining/result-text.ts'
import { defineTool, failedResult, say, ToolRefusal, worldCall } from '../defining/tool.ts'
import { errorSentence } from '../defining/tool-words.ts'

/** Units: graphemes. */
const limitProblem = 400

/** A call of an added server's tool; models call it by the name that the server's tool is declared under. */
export const mcpTool = defineTool({
  name: 'mcp',
  args: z.strictObject({ tool: z.string().min(1), arguments: z.record(z.string(), z.unknown()).optional() }),
  about: 'tool',
  async prepare({ tool: callName, arguments: given = {} }, site) {
    const { context } = site
    const tool = context
      .servers()
      ?.offered()
      .find((one) => one.callName === callName)
    if (tool === undefined) throw new ToolRefusal('mcp.unknown', { tool: harmless(callName) })
    const place = `${tool.server}/${tool.name}`
    const args = withFigures(given, tool.inputSchema)
    return worldCall(
      { ...site, title: place },
      {
        facts: {
          kind: 'outside',
          place,
          // Whole: the user allows all of the arguments, and could overlook that the last ones are missing.
          line: `${place} ${JSON.stringify(args, null, 2)}`,
          declared: tool.declared,
        },
        what: [place, args, tool.declared.fingerprint],
        async run({ signal }) {
          try {
            const servers = context.servers()
            if (servers === null) return failedResult(say(context, 'mcp.unknown', { tool: place }))
            const { isOk, text } = await servers.call(tool, args, signal)
            const note = (leftOut: number, total: number): string =>
              say(context, 'mcp.cut', { leftOut, total })
            const body = cutMiddle(harmless(text), context.resultBytes() - 1_000, note).text
            const lines = [
              say(context, 'mcp.head', { place }),
              body === '' ? say(context, 'mcp.empty') : body,
            ]
            return { isOk, text: lines.join('\n'), view: { kind: 'text' } }
          } catch (error) {
            if (!(error instanceof ServerFailure)) throw error
            const why = error.problem === null ? '' : errorSentence(context.words, error.problem)
            const problem = clipLine(harmless(why), limitProblem)
            return failedResult(say(context, `mcp.${error.when}`, { server: tool.server, problem }))
          }
        },
      },
    )
  },
})

/** Gives numbers and truth values that came as text the type that the tool's schema declares for them. */
function withFigures(args: Record<string, unknown>, schema: unknown): Record<string, unknown> {
  const { properties } = Shape.safeParse(schema).data ?? { properties: {} }
  const entries = Object.entries(args).map(([name, value]) => {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
    return [name, typeof value === 'string' ? read(value, type) : value]
  })
  return Object.fromEntries(entries)
}

const Shape = z.object({ properties: z.record(z.string(), z.object({ type: z.unknown() })) })

function read(text: string, type: unknown): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
