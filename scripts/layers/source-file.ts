import { parseSync } from 'vite'

/** One place where a module names another. */
export type ImportSite = { specifier: string; line: number; isTypeOnly: boolean }

/** What the layer rules need to know of a source file. */
export type SourceFile = {
  /** Relative to the project, with `/`. */
  path: string
  lines: number
  imports: ImportSite[]
  /** Names of exported values, and of exported classes apart. */
  exportedValues: string[]
  exportedClasses: string[]
  exportedTypes: string[]
  /** What comments say, with the line on which each begins. */
  comments: { text: string; line: number }[]
}

/** A node of the syntax tree as the parser gives it: only what is read here. */
type Node = { type: string; start: number; [key: string]: unknown }

/** Reads a source file: every kind of import that TypeScript knows, and what is exported. */
export function readSource(path: string, text: string): SourceFile {
  const result = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
  const first = result.errors[0]
  if (first !== undefined) throw new Error(`${path} does not parse: ${first.message}`)
  const file: SourceFile = {
    path,
    lines: countLines(text),
    imports: [],
    exportedValues: [],
    exportedClasses: [],
    exportedTypes: [],
    comments: result.comments.map(({ value, start }) => ({ text: value, line: lineOf(text, start) })),
  }
  const add = (source: unknown, isTypeOnly: boolean): void => {
    if (!isNode(source) || typeof source.value !== 'string') return
    file.imports.push({ specifier: source.value, line: lineOf(text, source.start), isTypeOnly })
  }
  walk(result.program, (node) => {
    if (node.type === 'ImportDeclaration') add(node.source, isTypeImport(node, 'importKind'))
    if (node.type === 'ExportAllDeclaration') add(node.source, node.exportKind === 'type')
    if (node.type === 'ExportNamedDeclaration') {
      add(node.source, isTypeImport(node, 'exportKind'))
      collectExports(node, file)
    }
    if (node.type === 'ImportExpression') add(node.source, false)
    if (node.type === 'TSImportType') add(node.source ?? node.argument, true)
    if (node.type === 'TSImportEqualsDeclaration' && isNode(node.moduleReference)) {
      add(node.moduleReference.expression, node.importKind === 'type')
    }
    if (node.type === 'CallExpression' && isNode(node.callee) && node.callee.name === 'require') {
      add(Array.isArray(node.arguments) ? node.arguments[0] : undefined, false)
    }
  })
  return file
}

/** True for `import type …` and where every single name is marked `type`. */
function isTypeImport(node: Node, kindKey: 'importKind' | 'exportKind'): boolean {
  if (node[kindKey] === 'type') return true
  const specifiers = Array.isArray(node.specifiers) ? node.specifiers : []
  return specifiers.length > 0 && specifiers.every((each) => isNode(each) && each[kindKey] === 'type')
}

function collectExports(node: Node, file: SourceFile): void {
  const declaration = node.declaration
  if (isNode(declaration)) {
    for (const name of declaredNames(declaration)) {
      if (/^TS(TypeAlias|Interface)Declaration$/.test(declaration.type)) file.exportedTypes.push(name)
      else if (declaration.type === 'ClassDeclaration') file.exportedClasses.push(name)
      else file.exportedValues.push(name)
    }
    return
  }
  for (const specifier of Array.isArray(node.specifiers) ? node.specifiers : []) {
    if (!isNode(specifier) || !isNode(specifier.exported)) continue
    const isType = node.exportKind === 'type' || specifier.exportKind === 'type'
    ;(isType ? file.exportedTypes : file.exportedValues).push(String(specifier.exported.name))
  }
}

function declaredNames(declaration: Node): string[] {
  if (isNode(declaration.id)) return [String(declaration.id.name)]
  const declarators = Array.isArray(declaration.declarations) ? declaration.declarations : []
  return declarators.flatMap((each) =>
    isNode(each) && isNode(each.id) && typeof each.id.name === 'string' ? [each.id.name] : [],
  )
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) walk(each, visit)
  } else if (isNode(value)) {
    visit(value)
    for (const [key, child] of Object.entries(value)) {
      if (key !== 'type' && typeof child === 'object') walk(child, visit)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function lineOf(text: string, offset: number): number {
  return countLines(text.slice(0, offset + 1))
}

function countLines(text: string): number {
  const breaks = text.match(/\n/g)?.length ?? 0
  return text.endsWith('\n') ? breaks : breaks + 1
}
