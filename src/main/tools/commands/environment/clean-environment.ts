import { dirname, join } from 'node:path'
import { z } from 'zod'
import { readSmallText } from '../../../platform/files/read-regular-file.ts'

export type ProcessEnv = Record<string, string | undefined>

/** Rules for removing variables. Shape: `appDir` holds our `node_modules` and `resources`. */
export type EnvironmentRules = { appDir: string; isSecret: (name: string) => boolean }

/** Variables of ours, npm's and Electron's, and those that only describe the shell that printed them. */
const removed =
  /^(?:npm_.*|ELECTRON_.*|TSUGI_.*|CHROME_DESKTOP|ORIGINAL_XDG_CURRENT_DESKTOP|APPDIR|APPIMAGE|ARGV0|OWD|PWD|OLDPWD|SHLVL|_)$/i
/** Other variables that npm sets. Source: @npmcli/config, `set-envs.js`; @npmcli/run-script, `set-path.js`. */
const setByNpm = new Set(['INIT_CWD', 'NODE', 'COLOR'])

/**
 * Returns a user's environment without secrets, and without variables that we, npm, Electron or an AppImage set.
 *
 * Shape: `NODE_OPTIONS` is removed from our own process's environment (`isInherited`); in one that the user's shell
 * made it is the user's.
 */
export function cleanEnvironment(
  environment: ProcessEnv,
  { appDir, isSecret }: EnvironmentRules,
  isInherited: boolean,
): Record<string, string> {
  const isFromNpm = Object.keys(environment).some((name) => /^npm_/i.test(name))
  const isOurs = ownPlaces(appDir, environment.APPDIR)
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || removed.test(name) || isSecret(name)) continue
    if (isFromNpm && setByNpm.has(name)) continue
    if (isInherited && name === 'NODE_OPTIONS') continue
    const clean = withoutPlaces(name, value, isOurs, environment.APPDIR)
    if (clean !== null) kept[name] = clean
  }
  return kept
}

/** Returns a command's environment: programs do not ask the user, do not use a pager, and do not write for a screen. */
export function commandEnvironment(environment: ProcessEnv): ProcessEnv {
  return { ...environment, GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', TERM: 'dumb' }
}

/** Returns a test for the folders of programs that our own start put in front of the user's. */
function ownPlaces(appDir: string, appImage: string | undefined): (place: string) => boolean {
  const bins = new Set(ancestors(appDir).map((folder) => join(folder, 'node_modules', '.bin')))
  const own = join(appDir, 'node_modules')
  return (place) => {
    const plain = join(place, '.')
    if (bins.has(plain) || isUnder(plain, own) || /[\\/]node-gyp-bin$/.test(plain)) return true
    return appImage !== undefined && appImage !== '' && isUnder(plain, appImage)
  }
}

/** Removes our places from a list of paths; null where the list had no others. */
function withoutPlaces(
  name: string,
  value: string,
  isOurs: (place: string) => boolean,
  appImage: string | undefined,
): string | null {
  const isPath = name.toUpperCase() === 'PATH'
  if (!isPath && (appImage === undefined || appImage === '' || !value.includes(appImage))) return value
  const delimiter = process.platform === 'win32' ? ';' : ':'
  const places = value.split(delimiter)
  const kept = places.filter((place) => place === '' || !isOurs(place))
  if (kept.length === places.length) return value
  return kept.length === 0 ? null : kept.join(delimiter)
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(join(folder, '/'))
}

function ancestors(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestors(parent)]
}

const words = z.string().transform((list): readonly string[] => list.split(' ').filter((word) => word !== ''))

/** `resources/shell/secret-variables.json`. */
const SecretVariables = z.strictObject({ about: z.string(), secret: z.array(words), harmless: words })

/** Loads the test for names of variables that hold a secret. Errors: a broken installation throws. */
export async function readSecretVariables(resourcesDir: string): Promise<(name: string) => boolean> {
  const text = await readSmallText(join(resourcesDir, 'shell', 'secret-variables.json'))
  const { secret, harmless } = SecretVariables.parse(JSON.parse(text))
  const isSecret = anyOf(secret.flat())
  const isHarmless = anyOf(harmless)
  return (name) => isSecret.test(name) && !isHarmless.test(name)
}

/** Matches any of the patterns: `*` stands for any characters or none; letter case does not matter. */
function anyOf(patterns: readonly string[]): RegExp {
  const sources = patterns.map((pattern) => pattern.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*'))
  return new RegExp(`^(?:${sources.join('|')})$`, 'is')
}
