/**
 * Runs the fake server by hand: `npx node tests/fakes/servers/fake-kobold-cli.ts [port] [context] [ms per token]`.
 */
import { startFakeKobold } from './fake-kobold.ts'

const [port = 5001, contextTokens = 8192, tokenMs = 40] = process.argv.slice(2).map(Number)
const fake = await startFakeKobold({ port, contextTokens, tokenMs, isPaced: true, modelName: 'fake-story' })
process.stdout.write(`fake KoboldCpp at ${fake.address}, context ${contextTokens}, Ctrl+C ends it\n`)
process.on('SIGINT', () => void fake.close().then(() => process.exit(0)))
