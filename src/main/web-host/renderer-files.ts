import { randomBytes } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { readSmallFile, readSmallText } from '../platform/files/read-regular-file.ts'
import { lateNode } from '../platform/node/late-node.ts'
import { securityHeaders } from './content-security-policy.ts'

/** The placeholder that the build writes for the nonce (`html.cspNonce` of Vite). */
const NONCE_PLACEHOLDER = '__CSP_NONCE__'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/** Matches names of files that never change, to which Vite gives the form `name-<hash>.ext`. */
const HASHED = /-[\w-]{8}\.\w+$/
const COMPRESSIBLE = /^(text|application\/(json|manifest)|image\/svg)/
const COMPRESS_FROM_BYTES = 1024

type ServedFile = { headers: Record<string, string>; body: Buffer }

/** The built window. */
export type RendererFiles = Awaited<ReturnType<typeof openRendererFiles>>

/**
 * Lists the folder at the first request and serves only listed files, so that no path can lead out of it. Symbolic
 * links are not followed.
 *
 * Errors: `file/not-found` without an `index.html`: the window has not been built.
 */
export async function openRendererFiles(rendererDir: string) {
  const indexFile = join(rendererDir, 'index.html')
  const isBuilt = await lstat(indexFile).then(
    (index) => index.isFile(),
    () => false,
  )
  if (!isBuilt) throw new AppError({ code: 'file/not-found', path: indexFile })
  let files: Map<string, string> | undefined

  async function readIndex(file: string): Promise<ServedFile> {
    const nonce = randomBytes(18).toString('base64')
    const html = (await readSmallText(file)).replaceAll(NONCE_PLACEHOLDER, nonce)
    return {
      headers: {
        ...securityHeaders(nonce),
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-store',
      },
      body: Buffer.from(html),
    }
  }

  return {
    /** Reads a file of the window; undefined where there is none. Shape: `path` is the URL's path, not decoded. */
    async read(path: string, accepts: { gzip: boolean }): Promise<ServedFile | undefined> {
      if (path === '/' || path === '/index.html') return readIndex(indexFile)
      files ??= await listFiles(rendererDir)
      const file = files.get(path)
      if (file === undefined) return undefined
      const type = TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream'
      const headers = {
        ...securityHeaders(),
        'Content-Type': type,
        'Cache-Control': HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
        Vary: 'Accept-Encoding',
      }
      const body = await readSmallFile(file)
      if (!accepts.gzip || body.length < COMPRESS_FROM_BYTES || !COMPRESSIBLE.test(type)) {
        return { headers, body }
      }
      return { headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await gzipped(body) }
    },
  }
}

/** Compression level. At the default, 6, the window's files take twice as long and become a thirtieth smaller. */
const gzipLevel = 4

function gzipped(body: Buffer): Promise<Buffer> {
  return new Promise((done, failed) => {
    lateNode
      .zlib()
      .gzip(body, { level: gzipLevel }, (error, bytes) => (error === null ? done(bytes) : failed(error)))
  })
}

/** Shape: URL path as a browser sends it → absolute path of a regular file. */
async function listFiles(rendererDir: string): Promise<Map<string, string>> {
  const entries = await readdir(rendererDir, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = join(entry.parentPath, entry.name)
        const path = relative(rendererDir, file).split(sep).map(encodeURIComponent).join('/')
        return [`/${path}`, file]
      }),
  )
}
