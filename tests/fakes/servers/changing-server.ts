/** A server that lists the tools in a file, and ends at the word `die`. */
export const changingServer = `
const { readFileSync } = require('node:fs')
const tools = JSON.parse(readFileSync(process.argv[1], 'utf8'))
let buffer = ''
const answers = {
  'initialize': ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: { word } }) => word === 'die' ? process.exit(1) : { content: [{ type: 'text', text: 'said ' + word }] },
}
process.stdin.on('data', (bytes) => {
  buffer += bytes
  for (let at = buffer.indexOf('\\n'); at >= 0; at = buffer.indexOf('\\n')) {
    const { id, method, params } = JSON.parse(buffer.slice(0, at))
    buffer = buffer.slice(at + 1)
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }) + '\\n')
  }
})
`
