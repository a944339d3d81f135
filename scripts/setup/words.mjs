import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

/** A step of the set-up could not be done; `message` is a sentence for the person at the terminal. */
export class SetupError extends Error {}

/**
 * The terminal's words in the language of the system (or `--lang ja|en`), from the same files as the window's.
 *
 * @param {readonly string[]} args
 * @param {Record<string, string | undefined>} env
 */
export function readWords(args = process.argv.slice(2), env = process.env) {
  const language = chooseLanguage(args, env)
  const messages = JSON.parse(readFileSync(path.join(root, `src/shared/i18n/${language}.json`), 'utf8'))
  /** @type {(key: string, values?: Record<string, string | number>) => string} */
  const say = (key, values = {}) => {
    const template = messages[`setup.${key}`]
    if (template === undefined) throw new Error(`no words for setup.${key}`)
    return template.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))
  }
  return { language, say }
}

function chooseLanguage(args, env) {
  const asked = args[args.indexOf('--lang') + 1]
  if (args.includes('--lang') && (asked === 'ja' || asked === 'en')) return asked
  const fromEnv = env.LC_ALL || env.LC_MESSAGES || env.LANG
  const locale = fromEnv || Intl.DateTimeFormat().resolvedOptions().locale
  return locale.toLowerCase().startsWith('ja') ? 'ja' : 'en'
}
