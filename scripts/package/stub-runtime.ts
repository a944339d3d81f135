import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { FuseState, SENTINEL } from '@electron/fuses/dist/constants.js'

/** Switches of the runtime as Electron ships it, before packing turns some off. Source: `@electron/fuses`, version 1. */
const wireVersion = 1
const wireLength = 8

/**
 * Writes a folder that electron-builder accepts as Electron's runtime: an executable with a fuse wire that
 * starts the stand-in on the archive beside it, and the files that packing moves or reads.
 */
export function writeStubRuntime(folder: string, options: { standIn: string; version: string }): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(path.join(folder, 'locales'), { recursive: true })
  mkdirSync(path.join(folder, 'resources'), { recursive: true })
  const executable = path.join(folder, 'electron')
  writeFileSync(executable, stubExecutable(options.standIn))
  chmodSync(executable, 0o755)
  writeFileSync(path.join(folder, 'version'), options.version)
  for (const name of ['LICENSE', 'LICENSES.chromium.html'])
    writeFileSync(path.join(folder, name), 'Stub runtime.\n')
  for (const name of ['en-US.pak', 'ja.pak']) writeFileSync(path.join(folder, 'locales', name), '')
}

/** A shell never reads past `exec`, so the wire may follow it. */
function stubExecutable(standIn: string): Buffer {
  const script = [
    '#!/bin/sh',
    'here=$(dirname "$(readlink -f "$0")")',
    'export ELECTRON_STANDIN_ARCHIVE="$here/resources/app.asar"',
    `exec "${standIn}" "$@"`,
    '',
  ].join('\n')
  const wire = Buffer.alloc(wireLength, FuseState.ENABLE)
  return Buffer.concat([Buffer.from(`${script}# ${SENTINEL}`), Buffer.from([wireVersion, wireLength]), wire])
}
