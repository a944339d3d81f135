/** Parts of awk programs that write, run commands or read other files, or that awk's variants parse differently. */
const hostile =
  '>"p" >>"p" >="p" >$2 |"cat" |&"cat" "cat_.env"|getline getline<".env" (getline_a<".env") system("id") ' +
  'close("p") ARGV[1]=".env" ARGC=3 @a() a() #c \\\n \n>"p" ,\n"p" /[/]/ /"/ /= :\n ?\n &&\n (1)>"p" a[1>"p"] 1e5 ' +
  'PROCINFO["x"] fflush() ++/ )/ ;>"p" a=">" /a>"p"/'
const operands = 'a $1 NR 5 "x" $NF a[$1] length length($0) substr($0,1) /o/ i++ ($1>2) toupper($1) -1'.split(
  ' ',
)
const operators = ['+', '-', '/', '==', '<', '&&', '||', '~', ' ', ' in ', '?1:', '>', '=']

/** Generates uses of awk: mostly harmless programs, some with hostile parts in any place. */
export function awkLine(random: () => number): string {
  const choose = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const hostility = choose([0, 0.05, 0.2])
  const spoilt = (text: string): string =>
    random() < hostility ? text + choose(hostile.split(' ')).replaceAll('_', ' ') : text
  const value = (depth = 0): string => {
    if (depth > 2 || random() < 0.5) return spoilt(choose(operands))
    const pair = `${value(depth + 1)}${spoilt(choose(operators))}${value(depth + 1)}`
    return choose([pair, `(${pair})`])
  }
  const statement = (depth = 0): string => {
    const inner = (): string => (depth > 1 ? 'print' : statement(depth + 1))
    const forms = [
      ...[
        () => 'print',
        () => `print ${value()}`,
        () => `print ${value()}, ${value()}`,
        () => `print(${value()})`,
      ],
      ...[() => `printf "%s ", ${value()}`, () => `a = ${value()}`, () => `if (${value()}) ${inner()}`],
      ...[
        () => `if (${value()}) ${inner()}; else ${inner()}`,
        () => `{ ${inner()}; ${inner()} }`,
        () => 'next',
      ],
      ...[
        () => `for (k in a) ${inner()}`,
        () => `print ${value()}\n${inner()}`,
        () => `gsub(/o/, ${value()})`,
      ],
    ]
    return spoilt(choose(forms)())
  }
  const rule = (): string =>
    `${choose(['', '', 'BEGIN', 'END', '/o/', value()])} { ${statement()}; ${statement()} }`
  const program = choose([rule, rule, value, () => `${rule()}\n${rule()}`])().replaceAll("'", '')
  const options = choose([
    '',
    '',
    '',
    '',
    '-F, ',
    '-v a=1 ',
    '-v ARGC=2 ',
    '-v system=1 ',
    '-f a.txt ',
    '-- ',
  ])
  const file = choose(['a.txt', 'a.txt', 'a.txt', 'a=b a.txt', 'ARGC=9 a.txt', '.env', 'link.txt', '*.md'])
  return `awk ${options}'${program}' ${file}`
}
