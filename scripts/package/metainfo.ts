/** Checks the metainfo file, which software centres show, with AppStream's own validator. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import type { Finding } from './archive-check.ts'

const metainfoFile = 'packaging/io.github.tsugi.desktop.metainfo.xml'

/** Null where `appstreamcli` is not installed. */
export function checkMetainfo(root: string): Finding | null {
  const args = ['validate', '--no-net', '--no-color', path.join(root, metainfoFile)]
  const { status, error, stdout, stderr } = spawnSync('appstreamcli', args, { encoding: 'utf8' })
  if (error !== undefined) return null
  const said = `${stdout}${stderr}`.trim()
  return { isGood: status === 0, text: `the metainfo file is valid${status === 0 ? '' : `: ${said}`}` }
}
