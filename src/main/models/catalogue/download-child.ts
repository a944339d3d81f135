/**
 * The process of a download: node-llama-cpp's downloader in a process of its own, because a write that fails in it
 * (a full disk) is an unhandled rejection, and because only the end of a process ends all of its requests.
 *
 * Shape: started by `fork` or Electron's `utilityProcess`; ends when the parent is gone. A kill at any moment leaves
 * a part that the next process can continue.
 */

import { createHash } from 'node:crypto'
import { createModelDownloader, type ModelDownloaderOptions } from 'node-llama-cpp'
import { delay, systemTimers } from '../../../shared/delay.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { serve } from '../../../shared/rpc/serve.ts'
import { openRegularFile } from '../../platform/files/read-regular-file.ts'
import { openParent } from '../../platform/node/process-port.ts'
import {
  type DownloadOrder,
  type DownloadStep,
  downloadContract,
  downloadFailure,
} from './download-contract.ts'

const tellEveryMs = 250
const blockBytes = 4 * 1024 * 1024

/** Null keeps the package from looking for the account's token; its type does not say so. */
const noTokens = { huggingFace: null } as unknown as NonNullable<ModelDownloaderOptions['tokens']>

/** Rejects with an error that the downloader does not await. */
const fatal = Promise.withResolvers<never>()
fatal.promise.catch(() => undefined)
process.on('unhandledRejection', (error) => fatal.reject(error))

const { port, log } = openParent('download')
serve(port, downloadContract, { 'download.run': (order) => run(order) }, { log })

async function* run(order: DownloadOrder): AsyncGenerator<DownloadStep, void, void> {
  try {
    const downloader = await Promise.race([
      createModelDownloader({
        modelUri: order.uri,
        dirPath: order.folder,
        fileName: order.file,
        deleteTempFileOnCancel: false,
        endpoints: { huggingFace: order.hub },
        // The user did not agree to sending the token of this account.
        tokens: noTokens,
      }),
      fatal.promise,
    ])
    let isOver = false
    const ended = downloader.download().finally(() => {
      isOver = true
    })
    const done = Promise.race([ended, fatal.promise])
    // Awaited below; until then its rejection must count as handled.
    done.catch(() => undefined)
    while (!isOver) {
      const { downloadedSize: receivedBytes, totalSize: totalBytes } = downloader
      yield { kind: 'fetching', receivedBytes, totalBytes }
      await Promise.race([done, delay(systemTimers, tellEveryMs)])
    }
    yield* check(await done)
  } catch (error) {
    if (isAppError(error)) throw error
    throw new AppError(downloadFailure(error, order), { cause: error })
  }
}

/** Reads the whole file again from the disk, since only the bytes that were written there count. */
async function* check(path: string): AsyncGenerator<DownloadStep, void, void> {
  const { file, sizeBytes } = await openRegularFile(path)
  try {
    const hash = createHash('sha256')
    const block = Buffer.allocUnsafe(blockBytes)
    let receivedBytes = 0
    let toldMs = 0
    for (;;) {
      const { bytesRead } = await file.read(block, 0, block.length, receivedBytes)
      if (bytesRead === 0) break
      hash.update(block.subarray(0, bytesRead))
      receivedBytes += bytesRead
      if (performance.now() - toldMs < tellEveryMs) continue
      toldMs = performance.now()
      yield { kind: 'checking', receivedBytes, totalBytes: sizeBytes }
    }
    yield { kind: 'whole', sizeBytes: receivedBytes, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}
