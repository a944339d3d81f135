import { describe, expect, it } from 'vitest'
import { commandWords } from './tool-servers.tsx'

describe('the words of a command', () => {
  it.each([
    ['npx  -y server /a/b', ['npx', '-y', 'server', '/a/b']],
    [`run "a b" 'c "d"' e"f g"`, ['run', 'a b', 'c "d"', 'ef g']],
    [`run ""`, ['run', '']],
    ['C:\\tools\\x.exe $HOME', ['C:\\tools\\x.exe', '$HOME']],
    ['', []],
    ['run "open', null],
  ])('of %s', (line, words) => {
    expect(commandWords(line)).toEqual(words)
  })
})
