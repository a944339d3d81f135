import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { seededRandom } from '../tests/fakes/seeded-random.ts'

/** Text to measure with. Shape: `source` is for the report; LF line ends. */
export type Prose = { text: string; source: string }

const novel = resolve(import.meta.dirname, '../../shared/text/neko.txt')

/** The file of `TSUGI_BENCH_TEXT`, else the novel beside the project, else prose from a seed. */
export async function readProse(): Promise<Prose> {
  const named = process.env.TSUGI_BENCH_TEXT
  if (named !== undefined) return { text: await readLf(named), source: 'the text of TSUGI_BENCH_TEXT' }
  try {
    return { text: await readLf(novel), source: 'a whole novel (夏目漱石『吾輩は猫である』)' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { text: seededProse(), source: 'prose from a seed (there is no novel beside the project)' }
  }
}

/** As many characters of the text, repeated where it is shorter. Units: UTF-16. */
export function proseOf({ text }: Prose, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length)
}

async function readLf(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replaceAll('\r', '')
}

function seededProse(): string {
  const random = seededRandom(1)
  const characters = 'あいうえおかきくけこさしすせそたちつてとなにぬねの雨風夜時計窓鐘塔'
  const character = () => characters.charAt(Math.floor(random() * characters.length))
  const sentence = () => Array.from({ length: 12 + Math.floor(random() * 40) }, character).join('')
  return Array.from({ length: 10_000 }, () => `　${sentence()}。\n`).join('')
}
