/**
 * Runs the fake server by hand: `npx node tests/fakes/servers/fake-llama-server-cli.ts [port] [context] [ms per token]`.
 */
import { createFakeLlamaServer } from './fake-llama-server.ts'

const [port = 8080, contextTokens = 8192, tokenMs = 20] = process.argv.slice(2).map(Number)
const fake = await createFakeLlamaServer({ port, contextTokens, tokenMs, promptTokenMs: 1 })
process.stdout.write(`fake llama-server at ${fake.address}, context ${contextTokens}, Ctrl+C ends it\n`)
process.on('SIGINT', () => void fake.close().then(() => process.exit(0)))
