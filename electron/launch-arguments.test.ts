import { describe, expect, it } from 'vitest'
import { openTargetOf, readLaunchArguments } from './launch-arguments.ts'

describe('readLaunchArguments', () => {
  it('takes names for paths below the working directory and leaves switches alone', () => {
    const args = ['--no-sandbox', 'novel', '/srv/other', '--remote-debugging-port=0', '-x']
    expect(readLaunchArguments(args, '/home/a').paths).toEqual(['/home/a/novel', '/srv/other'])
  })

  it('reads the data folder in both spellings', () => {
    expect(readLaunchArguments(['--data', 'd', 'novel'], '/home/a')).toEqual({
      paths: ['/home/a/novel'],
      dataDir: '/home/a/d',
      isVerbose: false,
    })
    expect(readLaunchArguments(['--data=/d', '--verbose'], '/')).toEqual({
      paths: [],
      dataDir: '/d',
      isVerbose: true,
    })
  })

  it('takes everything after -- for a name', () => {
    expect(readLaunchArguments(['--', '-draft', '--data'], '/n').paths).toEqual(['/n/-draft', '/n/--data'])
  })

  it('understands file addresses with Japanese names', () => {
    const address = 'file:///home/a/%E5%B0%8F%E8%AA%AC'
    expect(readLaunchArguments([address], '/').paths).toEqual(['/home/a/小説'])
  })
})

describe('openTargetOf', () => {
  it('knows a model file, a work file and all others', () => {
    expect(openTargetOf('/m/Tiny.GGUF')).toEqual({ kind: 'model', path: '/m/Tiny.GGUF' })
    expect(openTargetOf('/w/work.json')).toEqual({ kind: 'work', path: '/w' })
    expect(openTargetOf('/w/one.md')).toEqual({ kind: 'work', path: '/w/one.md' })
  })
})
