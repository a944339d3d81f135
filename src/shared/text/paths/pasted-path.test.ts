import { expect, it } from 'vitest'
import { pastedPath } from './pasted-path.ts'

it.each([
  ['/models/a.gguf', '/models/a.gguf'],
  ['  /models/my model.gguf \n', '/models/my model.gguf'],
  ['"/models/my model.gguf"', '/models/my model.gguf'],
  ["'/models/my model.gguf'", '/models/my model.gguf'],
  ['“/models/a.gguf”', '/models/a.gguf'],
  ['「/models/猫.gguf」', '/models/猫.gguf'],
  ['/models/my\\ model\\ \\(1\\).gguf', '/models/my model (1).gguf'],
  ['~/models/a.gguf', '~/models/a.gguf'],
  ['~/my\\ models/a.gguf', '~/my models/a.gguf'],
  ['file:///models/my%20model.gguf', '/models/my model.gguf'],
  ['file:///models/%E7%8C%AB.gguf', '/models/猫.gguf'],
  ['file://localhost/models/a.gguf', '/models/a.gguf'],
  ['file:///C:/Models/my%20model.gguf', 'C:\\Models\\my model.gguf'],
  ['file://server/share/a.gguf', '\\\\server\\share\\a.gguf'],
  ['"C:\\Models\\my model.gguf"', 'C:\\Models\\my model.gguf'],
  ['C:\\Models\\a.gguf', 'C:\\Models\\a.gguf'],
  ['\\\\server\\share\\a.gguf', '\\\\server\\share\\a.gguf'],
  ['', ''],
])('%s', (typed, path) => {
  expect(pastedPath(typed)).toBe(path)
})

it.each(['https://example.com/a.gguf', 'file:///%E3%81', 'smb://server/share/a.gguf'])(
  'is no path of this machine: %s',
  (typed) => {
    expect(pastedPath(typed)).toBeNull()
  },
)
