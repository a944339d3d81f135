#!/usr/bin/env node
/**
 * Takes fpm's place when electron-builder makes a deb for `npm run package:check`: the same command line, the
 * package by `dpkg-deb`. fpm itself is fetched from GitHub by a release's machine.
 *
 * Source: fpm 1.15, `lib/fpm/package/deb.rb` and its template of the control file.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

/** Option → its values; arguments without an option are files with their destinations. */
const options = new Map()
const files = []
const words = process.argv.slice(2)
for (let at = 0; at < words.length; at += 1) {
  const word = words[at]
  if (word === '--force') continue
  if (word.startsWith('-')) {
    options.set(word, [...(options.get(word) ?? []), words[at + 1]])
    at += 1
  } else files.push(word)
}
const one = (name) => options.get(name)?.[0]

const output = one('--package')
const root = mkdtempSync(`${output}-`)
try {
  for (const file of files) {
    const [source, target] = file.split('=')
    const place = path.join(root, target)
    if (statSync(source).isDirectory()) {
      mkdirSync(place, { recursive: true })
      for (const name of readdirSync(source))
        cpSync(path.join(source, name), path.join(place, name), { recursive: true, verbatimSymlinks: true })
    } else {
      mkdirSync(path.dirname(place), { recursive: true })
      copyFileSync(source, place)
    }
  }
  const name = one('--name')
  const documents = path.join(root, 'usr/share/doc', name)
  mkdirSync(documents, { recursive: true })
  const changes = `${name} (${one('--version')}) whatever; urgency=medium\n\n  * Package created with FPM.\n\n -- ${one('--maintainer')}  Thu, 01 Jan 2026 00:00:00 +0000\n`
  writeFileSync(path.join(documents, 'changelog.gz'), gzipSync(changes, { level: 9 }))

  const [synopsis, ...description] = one('--description').split('\n')
  const control = {
    Package: name,
    Version: one('--version'),
    License: one('--license'),
    Vendor: one('--vendor'),
    Architecture: one('--architecture'),
    Maintainer: one('--maintainer'),
    'Installed-Size': execFileSync('du', ['-sk', root], { encoding: 'utf8' }).split('\t')[0],
    Depends: options.get('-d')?.join(', '),
    Recommends: options.get('--deb-recommends')?.join(', '),
    Section: one('--category') ?? 'default',
    Priority: one('--deb-priority'),
    Homepage: one('--url'),
    Description: [synopsis, ...description.map((line) => ` ${line.trim()}`)].join('\n'),
  }
  mkdirSync(path.join(root, 'DEBIAN'))
  const fields = Object.entries(control).filter(([, value]) => value !== undefined)
  writeFileSync(
    path.join(root, 'DEBIAN/control'),
    `${fields.map(([field, value]) => `${field}: ${value}`).join('\n')}\n`,
  )
  for (const [option, script] of [
    ['--after-install', 'postinst'],
    ['--after-remove', 'postrm'],
  ]) {
    copyFileSync(one(option), path.join(root, 'DEBIAN', script))
    chmodSync(path.join(root, 'DEBIAN', script), 0o755)
  }
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(path.join(entry.parentPath, entry.name), 0o755)
  chmodSync(root, 0o755)
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', root, output])
} finally {
  rmSync(root, { recursive: true, force: true })
}
