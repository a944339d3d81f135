/** Lowest major version that works: older ones crash in the native database library without a message. */
const leastMajor = 22

/** Returns the message to the user about a Node that is too old; undefined where the version is new enough. */
export function nodeVersionProblem(version: string): string | undefined {
  const major = Number.parseInt(version.replace(/^v/, ''), 10)
  if (major >= leastMajor) return undefined
  return `Tsugi needs Node ${leastMajor} or newer; this is ${version}. Start it with "npm start", which brings its own.\nTsugi には Node ${leastMajor} 以上が必要です（現在 ${version}）。「npm start」で起動すると、同梱の Node が使われます。`
}

// Ends the process with a clear message under a Node that is too old. Import this module first at every entry that
// could meet the machine's own Node: it imports nothing.
const problem = nodeVersionProblem(process.version)
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}
