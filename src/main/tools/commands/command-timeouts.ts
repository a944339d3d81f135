/**
 * Time limits of a command in the foreground: the default and the maximum.
 *
 * Units: ms. Source: `run_command` declares them to models, and the runner applies them.
 */
export const commandTimeouts = { defaultMs: 120_000, limitMs: 600_000 } as const

/**
 * Limits of a line that only reads, which runs without consent: above either it is stopped.
 *
 * Units: ms; bytes of its output.
 */
export const readOnlyLimits = { timeoutMs: 60_000, outputBytes: 10_000_000 } as const
