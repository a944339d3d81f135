/**
 * Fetches and unpacks Electron's runtime, run by the project's Node. Exit code 1: it could not be had.
 *
 * The download must begin within 5 s (30 s behind a proxy) and never stall for 30 s. Prints `{received, total}` as JSON
 * lines.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { downloadArtifact } from '@electron/get'
import { inRoot } from './paths.mjs'

const { HTTPS_PROXY, https_proxy, ELECTRON_GET_USE_PROXY } = process.env
/** Time limit of the first byte; a proxy may scan a whole download before it passes on any of it. */
const answerMs = (HTTPS_PROXY ?? https_proxy ?? ELECTRON_GET_USE_PROXY) ? 30_000 : 5_000
const stallMs = 30_000
const readJson = (name) => JSON.parse(readFileSync(inRoot(`node_modules/electron/${name}`), 'utf8'))

const controller = new AbortController()
const stopAfter = (ms) => setTimeout(() => controller.abort(), ms)
let timer = stopAfter(answerMs)
let reportedAt = 0

try {
  await downloadArtifact({
    version: readJson('package.json').version,
    artifactName: 'electron',
    platform: process.platform,
    arch: process.arch,
    checksums: readJson('checksums.json'),
    downloadOptions: {
      quiet: true,
      signal: controller.signal,
      getProgressCallback: async ({ transferred, total }) => {
        clearTimeout(timer)
        timer = stopAfter(stallMs)
        if (Date.now() - reportedAt < 250 && transferred !== total) return
        reportedAt = Date.now()
        console.log(JSON.stringify({ received: transferred, total: total ?? transferred }))
      },
    },
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
} finally {
  clearTimeout(timer)
}

// Finds the download in its cache and only unpacks it. What an earlier start unpacked in part goes first.
rmSync(inRoot('node_modules/electron/dist'), { recursive: true, force: true })
const unpacked = spawnSync(process.execPath, [inRoot('node_modules/electron/install.js')], {
  stdio: 'ignore',
})
process.exit(unpacked.status === 0 ? 0 : 1)
