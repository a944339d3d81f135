/** The deb as electron-builder makes it, of the packed app with the stub runtime: its contents, and what lintian says. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Finding } from './archive-check.ts'

/** Files that the package must contain. */
const wantedFiles = [
  './opt/Tsugi/tsugi',
  './opt/Tsugi/resources/app.asar',
  './opt/Tsugi/resources/apparmor-profile',
  './usr/share/applications/tsugi.desktop',
  './usr/share/doc/tsugi/copyright',
  './usr/share/icons/hicolor/scalable/apps/tsugi.svg',
  './usr/share/metainfo/io.github.tsugi.desktop.metainfo.xml',
  './usr/share/mime/packages/tsugi.xml',
]

/** Lintian's tags for any app that brings its own runtime, and for electron-builder's own files. */
const knownTags = [
  // Debian's own packages do not use /opt; this is where others belong.
  'dir-or-file-in-opt',
  // Files as they are in the packages of llama.cpp and ripgrep.
  'custom-library-search-path',
  'shared-library-lacks-prerequisites',
  'unstripped-binary-or-object',
  // A command of node-llama-cpp that the app never starts.
  'executable-not-elf-or-script',
  'missing-dep-for-interpreter',
  'script-not-executable',
  // The control file as fpm writes it, and electron-builder's scripts.
  'command-with-path-in-maintainer-script',
  'extended-description-line-too-long',
  'maintainer-script-ignores-errors',
  'postrm-removes-alternative',
  'unknown-field',
]

/** Packs `unpacked` as a deb and checks it. Shape: `skipped` names the checks whose tool is not installed. */
export function checkDeb(root: string, unpacked: string): { findings: Finding[]; skipped: string[] } {
  if (spawnSync('dpkg-deb', ['--version']).error !== undefined)
    return { findings: [], skipped: ['the deb: dpkg-deb', 'lintian of the deb: dpkg-deb'] }
  const output = path.join(path.dirname(unpacked), 'deb')
  const problem = makeDeb(root, unpacked, output)
  const name = problem === undefined ? readdirSync(output).find((file) => file.endsWith('.deb')) : undefined
  if (name === undefined)
    return { findings: [{ isGood: false, text: `makes a deb: ${problem}` }], skipped: [] }
  const deb = path.join(output, name)
  const listed = spawnSync('dpkg-deb', ['-c', deb], { encoding: 'utf8', maxBuffer: 2 ** 26 }).stdout
  const missing = wantedFiles.filter((file) => !listed.includes(` ${file}\n`))
  const profile = readFileSync(path.join(unpacked, 'resources/apparmor-profile'), 'utf8')
  const findings: Finding[] = [
    {
      isGood: missing.length === 0,
      text: `the deb holds what belongs in it${missing.length === 0 ? '' : `; not ${missing.join(', ')}`}`,
    },
    {
      isGood: /^profile "tsugi" "\/opt\/Tsugi\/tsugi" .*\{\s+userns,/m.test(profile),
      text: 'the deb’s AppArmor profile lets the installed app make user namespaces',
    },
  ]
  const lintian = spawnSync('lintian', ['--suppress-tags', knownTags.join(','), '--allow-root', deb], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (lintian.error !== undefined) return { findings, skipped: ['lintian of the deb: lintian'] }
  const said = lintian.stdout.trim()
  findings.push({
    isGood: said === '',
    text: `lintian has nothing to say of the deb${said === '' ? '' : `:\n${said}`}`,
  })
  return { findings, skipped: [] }
}

/** Makes the deb with electron-builder, and with `fpm.mjs` in place of fpm. Returns the error, if any. */
function makeDeb(root: string, unpacked: string, output: string): string | undefined {
  rmSync(output, { recursive: true, force: true })
  const programs = path.join(output, 'programs')
  mkdirSync(programs, { recursive: true })
  symlinkSync(path.join(import.meta.dirname, 'fpm.mjs'), path.join(programs, 'fpm'))
  const builder = path.join(root, 'node_modules/electron-builder/cli.js')
  const args = ['--linux', 'deb', `--${process.arch}`, '--publish=never', '--prepackaged', unpacked]
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [builder, ...args, `-c.directories.output=${output}`],
    {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        USE_SYSTEM_FPM: 'true',
        PATH: [programs, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
      },
    },
  )
  return status === 0 ? undefined : `${stdout}${stderr}`.slice(-2_000)
}
