/** The .desktop file that electron-builder writes, made by its own function and looked at by the system's validator. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Finding } from './archive-check.ts'

const require = createRequire(import.meta.url)

type LinuxOptions = Record<string, unknown> & { executableName: string }
type Config = { linux: LinuxOptions; fileAssociations: readonly object[] }
type Helper = { computeDesktopEntry(options: LinuxOptions): Promise<string> | string }

const { getConfig } = require('app-builder-lib/out/util/config/config.js') as {
  getConfig(projectDir: string, file: string, options: null): Promise<Config>
}
const { LinuxTargetHelper } = require('app-builder-lib/out/targets/LinuxTargetHelper.js') as {
  LinuxTargetHelper: { prototype: Helper; new (packager: object): Helper }
}

/** Returns the text of the .desktop file of the package in `root`. */
export async function desktopEntry(root: string): Promise<string> {
  const config = await getConfig(root, 'electron-builder.yml', null)
  const metadata = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<string, string>
  const productName = metadata.productName ?? metadata.name ?? ''
  const { linux, fileAssociations } = config
  const helper = new LinuxTargetHelper({
    appInfo: { productName, sanitizedProductName: productName, description: metadata.description },
    executableName: linux.executableName,
    platformSpecificBuildOptions: linux,
    info: { metadata },
    fileAssociations,
    config,
  })
  return helper.computeDesktopEntry(linux)
}

/** Checks the entry with `desktop-file-validate`; null where that is not installed. */
export function checkDesktopEntry(entry: string): Finding | null {
  const folder = mkdtempSync(path.join(tmpdir(), 'tsugi-desktop-entry-'))
  try {
    const file = path.join(folder, 'tsugi.desktop')
    writeFileSync(file, entry)
    const { status, error, stdout, stderr } = spawnSync('desktop-file-validate', [file], { encoding: 'utf8' })
    if (error !== undefined) return null
    const said = `${stdout}${stderr}`.replaceAll(`${file}: `, '').trim()
    // The validator exits with 0 after a hint; here any output counts as a failure.
    const isGood = status === 0 && said === ''
    return { isGood, text: `the .desktop file is valid${said === '' ? '' : `: ${said}`}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
