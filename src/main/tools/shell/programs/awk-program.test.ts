import { describe, expect, it } from 'vitest'
import { isReadOnlyAssignment, isReadOnlyAwk } from './awk-program.ts'

describe('awk programs', () => {
  it.each([
    '$1 > 5',
    '$1 >= 5 && $2 < 3 { print $1; n++ } END { print n / NR }',
    '/a|b/',
    '!/^#/ && NF',
    '/system/ { print FILENAME ":" FNR }',
    '$1 ~ /^[A-Z_]+$/ { print $NF, $(NF-1) }',
    'BEGIN { FS = "," } { printf("%s %s\\n", $1, $2) }',
    '/begin/,/end/',
    '{ a[$1] += $2 } END { for (k in a) print k, a[k] }',
    'NR==FNR { seen[$0]; next } !($0 in seen)',
    '{ sum += $1 }\nEND {\n  print sum,\n    sum / NR\n}',
    '{ print (s) / NR, a["x > y"] }',
    'BEGIN { while (i++ < 3) print i }',
    '{ gsub(/[[:space:]]+/, " "); print toupper(substr ($0, 1, 1)) }',
    '/\\/\\/ TODO/ { print FNR": "$0 }',
    '{ print "a|b", "x > y", "@" }',
  ])('lets one pass that only reads: %s', (program) => expect(isReadOnlyAwk(program)).toBe(true))

  it.each([
    '',
    '$1 > 5 {print $2}',
    '{ if ($1 > 5) print $2; else print "none" }',
    '{ print ($1 > 5 ? "big" : "small") }',
    '{ for (i = 1; i <= NF; i++) if (length($i) > 80) print i, $i }',
    '{ print > "x" }',
    '{ print >= "x" }',
    '{ print $1 > $2 }',
    '{ print a,\n b > "x" }',
    '{ print a ? b :\n c > "x" }',
    '{ print (a)(b) > "x" }',
    '{ print a[b > c] }',
    '{ printf("%s", $0) > "x" }',
    '{ print /a/ > "x" }',
    '{ print i++\n> "x" } { print i -\n 1 > "x" }',
    '{ print | "sh" }',
    '"ls" | getline',
    '{ while ((getline l < "x") > 0) print l }',
    '{ system("x") }',
    '{ close("x") }',
    '{ f() }',
    'function f() { return 1 } BEGIN { print f() }',
    '{ @f() }',
    '{ awk::system("x") }',
    'BEGIN { ARGV[1] = "x" }',
    'BEGIN { PROCINFO["sorted_in"] = "f" }',
    'BEGIN { NEWVAR["x"] = 1 }',
    'BEGIN { asort(a, b, "system") }',
    // One version of awk reads a regular expression here, another a division.
    '{ if (1) / "/ print "x" > "f" #/ }',
    '{ i++ / 2; print "/" > "f" }',
    '{ length / 2; print "/" > "f" }',
    '/[/]/ && 1 > 2',
    '/[/',
    '/=/ { print }',
    '{ x = /a[^]/]b/ }',
    '{ print } # comment',
    '{ print \\\n > "x" }',
    '{ print "a\nb" }',
    '{ print "a\\\nb" }',
    '{ print ',
    '{ print (a] }',
    '{ print a }}',
    '{ ｐｒｉｎｔ }',
    '{ print a & b }',
    '{ print `x` }',
    '{ print 1 }\r',
  ])('refuses: %s', (program) => expect(isReadOnlyAwk(program)).toBe(false))

  it('knows plain variables', () => {
    for (const text of ['n=3', 'FS=,', 'OFS=\\t', 'Sum=', 'x=system'])
      expect(isReadOnlyAssignment(text)).toBe(true)
    for (const text of [
      'ARGV=1',
      'ARGC=1',
      'system=1',
      'a[1]=2',
      'print=1',
      'length=1',
      'x',
      '=1',
      './a=b',
    ]) {
      expect(isReadOnlyAssignment(text)).toBe(false)
    }
  })
})
