import { expect, it } from 'vitest'
import { hindranceIn } from './command-sandbox.ts'

it.each([
  ['network', 'curl: (6) Could not resolve host: example.com'],
  ['network', 'wget: 失敗しました: 名前解決に一時的に失敗しました。'],
  ['network', 'ping: example.com: 名前またはサービスが不明です'],
  ['network', 'ping: example.com: ホスト名にアドレスが割り当てられていません'],
  ['network', 'bash: connect: 接続を拒否されました'],
  ['network', 'bash: connect: ネットワークに届きません'],
  ['secret', 'cat: .env: Permission denied'],
  ['secret', 'cat: .env: 許可がありません'],
  ['right', "touch: '/usr/x' に touch できません: 読み込み専用ファイルシステムです"],
  ['right', "chown: 'a.txt' の所有者を変更中: 許可されていない操作です"],
  ['right', "mkdir: ディレクトリ '/srv/x' を作成できません: 許可がありません"],
  ['right', "mv: 'a' を 'b' に移動できません: 無効なクロスデバイスリンクです"],
  ['right', "mv: cannot move 'a' to 'b': Invalid cross-device link"],
  ['right', 'chown: 定義されたデータ型に対して値が大きすぎます'],
  [null, 'bash: x: コマンドが見つかりません'],
])('names a hindrance (%s) by what a program says in the language of its user: %s', (hindrance, output) => {
  expect(hindranceIn(`first line\n${output}\n`)).toBe(hindrance)
})
