import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { onTestFinished } from 'vitest'

/** Kinds of entries in a folder other than an ordinary file. */
export const specialKinds = [
  'pipe',
  'link to a pipe',
  'socket',
  'link to a socket',
  'device',
  'terminal',
  'procfs',
  'folder',
  'full folder',
  'circle',
  'two-link circle',
  'long link',
  'dangling link',
  'dangling link outside',
  'link outside',
  'relative link outside',
  'link through a folder outside',
  'link inside',
  'link to a folder',
  'hard link outside',
  'huge',
  'sparse to the limit',
  'no text',
  'deep',
  'wrong values',
  'ordinary',
] as const
export type SpecialKind = (typeof specialKinds)[number]

/** A text outside the folder that must never be in an answer, and never change. */
export const outsideText = '{"title":"外の秘密","rules":[{"effect":"deny","pattern":"外の秘密"}]}'

/** Shape: `pipe` and `socket` are made once and linked to where they are wanted. */
export type SpecialSources = { outside: string; pipe: string; socket: string; secret: string }

export function specialSources(outside: string): SpecialSources {
  const pipe = join(outside, 'pipe')
  const secret = join(outside, 'secret.json')
  execFileSync('mkfifo', [pipe])
  writeFileSync(secret, outsideText)
  const socket = join(outside, 'socket')
  // It has its name as soon as a program listens.
  const server = createServer().listen(socket)
  onTestFinished(() => void server.close())
  return { outside, pipe, socket, secret }
}

type Make = (path: string, sources: SpecialSources) => void

const linkTo =
  (target: string): Make =>
  (path) => {
    symlinkSync(target, path)
  }
const content =
  (bytes: string | Uint8Array): Make =>
  (path) => {
    // `wx`, so that it never writes through an existing link.
    writeFileSync(path, bytes, { flag: 'wx' })
  }
const sparse =
  (sizeBytes: number): Make =>
  (path) => {
    writeFileSync(path, '', { flag: 'wx' })
    truncateSync(path, sizeBytes)
  }

const makers: Record<SpecialKind, Make> = {
  pipe: (path, { pipe }) => linkSync(pipe, path),
  'link to a pipe': (path, { pipe }) => symlinkSync(pipe, path),
  socket: (path, { socket }) => linkSync(socket, path),
  'link to a socket': (path, { socket }) => symlinkSync(socket, path),
  device: linkTo('/dev/zero'),
  terminal: linkTo('/dev/tty'),
  procfs: linkTo('/proc/self/mem'),
  folder: (path) => {
    mkdirSync(path)
  },
  'full folder': (path) => {
    mkdirSync(path)
    writeFileSync(join(path, 'x.txt'), 'x')
  },
  circle: (path) => symlinkSync(path, path),
  'two-link circle': (path) => {
    symlinkSync(path, `${path}.2`)
    symlinkSync(`${path}.2`, path)
  },
  'long link': linkTo('x'.repeat(300)),
  'dangling link': linkTo('nothing here'),
  'dangling link outside': (path, { outside }) => symlinkSync(join(outside, 'made by a link'), path),
  'link outside': (path, { secret }) => symlinkSync(secret, path),
  'relative link outside': (path, { secret }) => symlinkSync(relative(dirname(path), secret), path),
  'link through a folder outside': (path, { outside }) => {
    symlinkSync(outside, `${path}.d`)
    symlinkSync(join(`${path}.d`, 'secret.json'), path)
  },
  'link inside': (path) => {
    writeFileSync(`${path}.real`, '{"title":"内"}')
    symlinkSync(`${path}.real`, path)
  },
  'link to a folder': linkTo('.'),
  'hard link outside': (path, { secret }) => linkSync(secret, path),
  huge: sparse(2 ** 40),
  'sparse to the limit': sparse(1_000_001),
  'no text': content(Buffer.from([0xff, 0xfe, 0, 0xd8, 0x00])),
  deep: content('['.repeat(200_000)),
  'wrong values': content('{"title":5,"memo":"覚え","order":7,"rules":9,"version":1}'),
  ordinary: content('{}'),
}

/** Puts something of `kind` at `path`, whose folder is made. */
export function makeSpecial(kind: SpecialKind, path: string, sources: SpecialSources): void {
  mkdirSync(dirname(path), { recursive: true })
  makers[kind](path, sources)
}
