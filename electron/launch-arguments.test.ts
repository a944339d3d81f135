import { describe, expect, it } from 'vitest'
import { openTargetOf, readLaunchArguments } from './launch-arguments.ts'

describe('readLaunchArguments', () => {
  it('takes names for paths below the working directory and leaves switches alone', () => {
    const args = ['--no-sandbox', 'novel', '/srv/other', '--remote-debugging-port=0', '-x']
    expect(readLaunchArguments(args, '/home/a')).toEqual({
      paths: ['/home/a/novel', '/srv/other'],
      dataDir: null,
      language: null,
      starter: { isWanted: false, starterId: null, canInstallPip: false },
      isVerbose: false,
    })
  })

  it('reads the options that the web host has too', () => {
    const args = [
      '--data=d',
      '--lang=ja',
      '--fetch-starter',
      '--install-pip',
      '--model=gemma3-270m',
      '--verbose',
    ]
    expect(readLaunchArguments(args, '/home/a')).toEqual({
      paths: [],
      dataDir: '/home/a/d',
      language: 'ja',
      starter: { isWanted: true, starterId: 'gemma3-270m', canInstallPip: true },
      isVerbose: true,
    })
  })

  it('fetches nothing with --no-model, and knows two languages', () => {
    const request = readLaunchArguments(['--fetch-starter', '--no-model', '--lang=fr', '--data='], '/')
    expect([request.starter.isWanted, request.language, request.dataDir]).toEqual([false, null, null])
  })

  it('takes everything after -- for a name', () => {
    const request = readLaunchArguments(['a', '--', '-draft', '--verbose'], '/n')
    expect([request.paths, request.isVerbose]).toEqual([['/n/a', '/n/-draft', '/n/--verbose'], false])
  })

  it('understands file addresses with Japanese names', () => {
    const address = 'file:///home/a/%E5%B0%8F%E8%AA%AC'
    expect(readLaunchArguments([address], '/').paths).toEqual(['/home/a/小説'])
  })

  it('survives a file address on another host', () => {
    expect(readLaunchArguments(['file://server/novel', 'file:///%zz'], '/w').paths).toHaveLength(2)
  })
})

describe('openTargetOf', () => {
  it('knows a model file, a work file and all others', () => {
    expect(openTargetOf('/m/Tiny.GGUF')).toEqual({ kind: 'model', path: '/m/Tiny.GGUF' })
    expect(openTargetOf('/w/work.json')).toEqual({ kind: 'work', path: '/w' })
    expect(openTargetOf('/w/one.md')).toEqual({ kind: 'work', path: '/w/one.md' })
  })
})
