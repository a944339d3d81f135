function choose<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

const texts = [
  'one',
  '[/]',
  '[^/]w p',
  'a\\/b',
  '.*',
  'o\\',
  '}',
  ';w p;',
  '[[:alpha:]/]',
  '{',
  'x/w p',
  '',
  '[',
  ']',
]
const replacements = ['&', 'x', '\\n', 'w p', '[', '/w p', '};w p', '']
const addresses = [
  '',
  '',
  '1',
  '$',
  '1,2',
  '/one/',
  '/[/]/',
  '1!',
  '0~2',
  '/one/,/t/',
  '\\,x,',
  '1,',
  '$!',
  '/a/I,+2',
]
const commands = [
  ...['p', 'd', 'n', 'N', 'D', 'P', 'h', 'H', 'g', 'G', 'x', '=', 'l', 'z', 'q', 'Q', 'q1', 'l 5', 'L', 'F'],
  ...['w p', 'wp', 'W p', 'r .env', 'r.env', 'R .env', 'e', 'e touch p', 'etouch p', 'w', 'w /dev/stdout'],
  ...[
    'a\\\ntext',
    'a text',
    'i\\',
    'c x',
    '#',
    '# w p',
    'v',
    ': a',
    ':a',
    ':w',
    ':e p',
    'ba',
    'b',
    't',
    'T a',
    'bw p',
  ],
  ...['}', '{', '{p', 'p}', '{p}', '{w p}', '{:a;p}', '{s/a/b/;p}', '{r .env', '{p;p}', '{b}', '{ba;}', '{}'],
]
const plain = [
  'p',
  'd',
  'n',
  'N',
  'h;G',
  '=',
  's/one/[&]/',
  's|o|/|g',
  'y/ab/cd/',
  '{p;n;p}',
  '{s/t/T/;p}',
  '$!ba',
  'q',
  ':a',
]
const joints = [';', ';', ';', '\n', '}', ' ; ', '', ' ', ';}', '\\\n', '\r', '};']

/** A line of sed, made of parts that each sed reads in its own way. */
export function sedLine(random: () => number): string {
  const isPlain = random() < 0.6
  const part = (): string => {
    if (isPlain && random() < 0.85) return choose(random, plain)
    const kind = random()
    const delimiter = choose(random, ['/', '/', '/', '|', ',', '}', ';', 'x', ' ', '{', 'w'])
    const [from, to] = [choose(random, texts), choose(random, replacements)]
    const flags = choose(random, ['', '', 'g', '2', 'p', 'I', 'w p', 'e', 'gw p', 'e;p', 'w', 'M', 'gI'])
    if (kind < 0.3) return `s${delimiter}${from}${delimiter}${to}${delimiter}${flags}`
    if (kind < 0.4)
      return `y${delimiter}${choose(random, ['ab', '[/', ']', 'a\\/', 'n'])}${delimiter}${choose(random, ['cd', '/w', 'x', 'w p'])}${delimiter}`
    return choose(random, commands)
  }
  let script = ''
  for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1) {
    const group = random() < 0.2 ? '{' : ''
    script += `${choose(random, addresses)}${group}${part()}${group && choose(random, ['}', ';}', ''])}`
    script += isPlain ? ';' : choose(random, joints)
  }
  const options = choose(random, ['', '-n ', '-n ', '-E ', '-s ', '-z ', '-e p -e ', '--posix ', '-ne '])
  const quoted = `'${script.replaceAll("'", "'\\''")}'`
  return `sed ${options}${quoted}${choose(random, [' a.txt', " 'b c.md' src/x.ts", ' -- a.txt', '', " -e '}' a.txt"])}`
}
