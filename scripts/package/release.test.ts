/** Computes a release's installers with electron-builder's own function, from the workflow and the configuration. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { builderCall } from './builder-call.ts'
import { desktopEntry } from './desktop-entry.ts'
import { targets } from './targets.ts'

const root = path.resolve(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)

type ArchToTargets = Map<number, string[]>
const { Arch }: { Arch: Record<string, number> } = require('builder-util')
const { computeArchToTargetNamesMap } = require('app-builder-lib/out/targets/targetFactory.js') as {
  computeArchToTargetNamesMap(raw: ArchToTargets, packager: object, platform: object): ArchToTargets
}
const { getConfig } = require('app-builder-lib/out/util/config/config.js') as {
  getConfig(projectDir: string, file: string, options: null): Promise<Record<string, unknown>>
}

type Machine = { os: string; system: keyof typeof targets; arch: string }

/** The workflow's lines `- { os: …, system: …, arch: … }`. */
function machines(): Machine[] {
  const workflow = readFileSync(path.join(root, '.github/workflows/release.yml'), 'utf8')
  const lines = workflow.matchAll(/^\s+- \{ os: (\S+), system: (\w+), arch: (\w+) \}$/gm)
  return [...lines].map(([, os = '', system = '', arch = '']) => ({ os, system, arch }) as Machine)
}

const sections = { linux: 'linux', windows: 'win', mac: 'mac' } as const
let config: Record<string, { target?: unknown }>

beforeAll(async () => {
  config = (await getConfig(root, 'electron-builder.yml', null)) as typeof config
})

function built(machine: Machine): string[] {
  const { args } = builderCall(targets[machine.system], { arch: machine.arch, env: {} })
  const archs = args.flatMap((arg) => Arch[arg.replace(/^--/, '')] ?? [])
  const raw: ArchToTargets = new Map(archs.map((arch) => [arch, []]))
  const packager = { platformSpecificBuildOptions: config[sections[machine.system]], defaultTarget: [] }
  const result = computeArchToTargetNamesMap(raw, packager, {})
  return [...result].flatMap(([arch, names]) =>
    names.map((name) => `${machine.system} ${Arch[arch]} ${name}`),
  )
}

describe('a release', () => {
  it('builds on each machine for that machine’s processor alone', () => {
    for (const machine of machines()) {
      const processors = new Set(built(machine).map((line) => line.split(' ')[1]))
      expect([machine.os, ...processors]).toEqual([machine.os, machine.arch])
    }
  })

  it('builds every installer once', () => {
    const all = machines().flatMap(built).sort()
    expect(all).toEqual([
      'linux arm64 AppImage',
      'linux arm64 deb',
      'linux arm64 tar.gz',
      'linux x64 AppImage',
      'linux x64 deb',
      'linux x64 tar.gz',
      'mac arm64 dmg',
      'mac arm64 zip',
      'mac x64 dmg',
      'mac x64 zip',
      'windows arm64 nsis',
      'windows x64 nsis',
    ])
  })
})

describe('builderCall', () => {
  it('leaves out what a workflow passes empty, and signs a macOS app ad hoc', () => {
    const { args, env } = builderCall(targets.mac, {
      arch: 'arm64',
      env: { CSC_LINK: '', APPLE_ID: ' ', PATH: '/bin' },
    })
    expect(env).toEqual({ PATH: '/bin' })
    expect(args).toEqual([
      '--mac',
      '--arm64',
      '--publish=never',
      '-c.mac.identity=-',
      '-c.mac.hardenedRuntime=false',
    ])
  })

  it('signs with the certificate where one is set', () => {
    const { args, env } = builderCall(targets.mac, { arch: 'x64', env: { CSC_LINK: 'file.p12' } })
    expect(env).toEqual({ CSC_LINK: 'file.p12' })
    expect(args).toEqual(['--mac', '--x64', '--publish=never'])
  })

  it('passes an ad-hoc identity on macOS alone', () => {
    expect(builderCall(targets.linux, { arch: 'x64', env: {} }).args).toEqual([
      '--linux',
      '--x64',
      '--publish=never',
    ])
  })
})

describe('the .desktop file', () => {
  it('says what the app is in both languages, and carries the name of its windows', async () => {
    const lines = (await desktopEntry(root)).split('\n')
    expect(lines).toEqual(expect.arrayContaining(['StartupWMClass=tsugi', 'Exec=/opt/Tsugi/tsugi %U']))
    const about = lines.filter((line) => line.startsWith('Comment'))
    expect(about).toEqual([
      'Comment[ja]=自分のパソコンのモデルで、フォルダーの小説やコードを書く',
      'Comment=Assistant for the novels and the code of a folder, with models of your own machine',
    ])
  })
})
