import { resolve } from 'node:path'

const packages = resolve(import.meta.dirname, '../../../node_modules')

/** A server of one tool that ends at the word `die`, and with `once` also right at its second start. */
export const mortalServer = `
const { McpServer } = require('${packages}/@modelcontextprotocol/sdk/dist/cjs/server/mcp.js')
const { StdioServerTransport } = require('${packages}/@modelcontextprotocol/sdk/dist/cjs/server/stdio.js')
const { z } = require('${packages}/zod')
const fs = require('node:fs')
const mark = process.argv.at(-1)
const starts = fs.existsSync(mark) ? Number(fs.readFileSync(mark, 'utf8')) + 1 : 1
fs.writeFileSync(mark, String(starts))
if (starts === 3) { process.stderr.write('third time unlucky\\n'); process.exit(3) }
const server = new McpServer({ name: 'mortal', version: '1' })
server.tool('say', { word: z.string() }, ({ word }) => {
  if (word === 'die') process.exit(1)
  return { content: [{ type: 'text', text: word + ' ' + starts }] }
})
server.connect(new StdioServerTransport())
`
