import { serveHarnesses } from './support/run-harnesses.ts'

/** What Playwright does once, before the first worker. */
export default serveHarnesses
