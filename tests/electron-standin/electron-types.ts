import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** One class or interface of `electron.d.ts`: its members and events, with the names of what they carry. */
export type DocumentedType = {
  /** Shape: the parameters of each overload; undefined for a property. */
  members: Map<string, string[][] | undefined>
  events: Map<string, string[]>
}

/** Reads `electron.d.ts`, which is generated and therefore written evenly. */
export function readElectronTypes(): Map<string, DocumentedType> {
  const file = createRequire(import.meta.url).resolve('electron/electron.d.ts')
  const source = readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '')
  const types = new Map<string, DocumentedType & { base: string | undefined }>()
  for (const block of source.matchAll(
    /^ {2}(?:class|interface) (\w+)(?: extends ([\w.]+))? \{\n([\s\S]*?)^ {2}\}/gm,
  )) {
    const [, name = '', base, body = ''] = block
    if (!types.has(name)) types.set(name, { ...readBody(body), base })
  }
  for (const type of types.values()) {
    const base = type.base === undefined ? undefined : types.get(type.base)
    for (const [name, overloads] of base?.members ?? [])
      if (!type.members.has(name)) type.members.set(name, overloads)
    for (const [name, contents] of base?.events ?? [])
      if (!type.events.has(name)) type.events.set(name, contents)
  }
  return types
}

function readBody(body: string): DocumentedType {
  const members: DocumentedType['members'] = new Map()
  const events: DocumentedType['events'] = new Map()
  for (const event of body.matchAll(/^ {4}on\(event: '([\w-]+)', listener: \(/gm)) {
    events.set(event[1] ?? '', parameterNames(body, (event.index ?? 0) + event[0].length))
  }
  for (const member of body.matchAll(/^ {4}(?:static )?(?:readonly )?(?:get )?(\w+)(\(|\??:)/gm)) {
    const [whole, name = '', kind] = member
    if (kind !== '(') members.set(name, undefined)
    else members.set(name, [...(members.get(name) ?? []), parameterNames(body, member.index + whole.length)])
  }
  return { members, events }
}

/** The names before `:` up to the bracket that closes the list, not those inside types. */
function parameterNames(text: string, from: number): string[] {
  let depth = 0
  let end = from
  let flat = ''
  for (; end < text.length; end += 1) {
    const character = text[end] ?? ''
    const isArrow = character === '>' && text[end - 1] === '='
    if ('({[<'.includes(character)) depth += 1
    if (')}]>'.includes(character) && !isArrow) depth -= 1
    if (depth < 0) break
    if (depth === 0) flat += character
  }
  return [...flat.matchAll(/(?:^|,)\s*(?:\.\.\.)?(\w+)\??:/g)].map((parameter) => parameter[1] ?? '')
}
