/**
 * How long a command in the foreground may take: where nobody said, and at most.
 *
 * Units: ms. Source: what `run_command` declares to models and what the runner keeps to.
 */
export const commandTimeouts = { defaultMs: 120_000, limitMs: 600_000 } as const

/**
 * What a line that only reads may take, which runs without a question: it is stopped beyond either.
 *
 * Units: ms; bytes of its output.
 */
export const readOnlyLimits = { timeoutMs: 60_000, outputBytes: 10_000_000 } as const
