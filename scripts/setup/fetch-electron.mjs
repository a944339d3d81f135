/**
 * Fetches and unpacks Electron's runtime, run by the project's Node. Exit code 1: it could not be had.
 *
 * The download must begin within 5 s and never stand still for 30 s. Prints `{received, total}` as JSON lines.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { downloadArtifact } from '@electron/get'
import { inRoot } from './paths.mjs'

const answerMs = 5_000
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

// Finds the download in its cache and only unpacks it.
const unpacked = spawnSync(process.execPath, [inRoot('node_modules/electron/install.js')], {
  stdio: 'ignore',
})
process.exit(unpacked.status === 0 ? 0 : 1)
