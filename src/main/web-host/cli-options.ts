import { resolve } from 'node:path'
import { parseArgs } from '../platform/node/late-node.ts'

/** Options of the web host's command line. Paths are absolute. */
export type CliOptions = {
  /** Folders and files to open, the first of them in the window. */
  paths: string[]
  host: string
  /** 0: any free one. */
  port: number
  tls: { certFile: string; keyFile: string } | null
  canOpenBrowser: boolean
  dataDir: string | null
  language: 'ja' | 'en' | null
  /** Whether to fetch or offer a small model where the machine has none. */
  starter: { isWanted: boolean; starterId: string | null; canInstallPip: boolean }
  isVerbose: boolean
}

/** The command line cannot be understood; `message` quotes the part. */
export class CliError extends Error {}

/**
 * Reads the command line.
 *
 * Errors: `CliError` for an unknown option, a bad port, or TLS files that do not come as a pair.
 */
export function readCliOptions(args: readonly string[], cwd: string): CliOptions {
  const { values, positionals } = parse(args)
  const port = Number(values.port ?? 0)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new CliError(`--port ${values.port}`)
  if ((values['tls-cert'] === undefined) !== (values['tls-key'] === undefined))
    throw new CliError('--tls-cert, --tls-key')
  const language = values.lang
  if (language !== undefined && language !== 'ja' && language !== 'en')
    throw new CliError(`--lang ${language}`)
  const absolute = (path: string) => resolve(cwd, path)
  return {
    paths: [...(values.project ?? []), ...positionals].map(absolute),
    host: values.host ?? '127.0.0.1',
    port,
    tls:
      values['tls-cert'] !== undefined && values['tls-key'] !== undefined
        ? { certFile: absolute(values['tls-cert']), keyFile: absolute(values['tls-key']) }
        : null,
    canOpenBrowser: !values['no-open'],
    dataDir: values.data === undefined ? null : absolute(values.data),
    language: language ?? null,
    starter: {
      isWanted: (values['fetch-starter'] ?? false) && !values['no-model'],
      starterId: values.model ?? null,
      canInstallPip: values['install-pip'] ?? false,
    },
    isVerbose: values.verbose ?? false,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        project: { type: 'string', multiple: true },
        host: { type: 'string' },
        port: { type: 'string' },
        'tls-cert': { type: 'string' },
        'tls-key': { type: 'string' },
        'no-open': { type: 'boolean' },
        data: { type: 'string' },
        lang: { type: 'string' },
        'fetch-starter': { type: 'boolean' },
        'no-model': { type: 'boolean' },
        model: { type: 'string' },
        'install-pip': { type: 'boolean' },
        verbose: { type: 'boolean' },
      },
    })
  } catch (cause) {
    throw new CliError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
