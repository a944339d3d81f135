import { AppError } from '../../shared/errors.ts'
import { readSmallFile } from '../platform/files/read-regular-file.ts'
import { lateNode } from '../platform/node/late-node.ts'

/** Absolute paths of PEM files. */
export type TlsFiles = { certFile: string; keyFile: string }

/** Errors: `file/not-found`, `file/failed`; `host/bad-tls` for files that are not a certificate and its key. */
export async function readTlsFiles({ certFile, keyFile }: TlsFiles): Promise<{ cert: Buffer; key: Buffer }> {
  const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)])
  try {
    lateNode.tls().createSecureContext({ cert, key })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError({ code: 'host/bad-tls', reason }, { cause })
  }
  return { cert, key }
}

async function readPem(path: string): Promise<Buffer> {
  try {
    return await readSmallFile(path)
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
    const info =
      reason === 'ENOENT'
        ? ({ code: 'file/not-found', path } as const)
        : ({ code: 'file/failed', path, reason } as const)
    throw new AppError(info, { cause })
  }
}
