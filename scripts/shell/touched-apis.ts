import { readdirSync } from 'node:fs'
import path from 'node:path'
import { type CallExpression, type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isClassDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isPropertyAccessExpression,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import { API, type Project, type Symbol as TypeSymbol } from 'typescript/unstable/sync'

/** An Electron API and the places of the shell that touch it. */
export type TouchedApis = Map<string, string[]>

const listening = new Set(['on', 'once', 'addListener'])
/** Node's own part of an emitter: not Electron's. */
const emitterMembers = new Set(['on', 'once', 'off', 'addListener', 'removeListener', 'emit'])
/** All other events of `process` are Node's. */
const electronProcessEvents = new Set(['loaded'])

/**
 * Finds every member of `electron.d.ts` that the sources of `folder` touch, by the compiler's own types.
 *
 * Shape: `App.quit` for a member, `App:ready` for an event that is listened to.
 */
export function findTouchedApis(root: string, folder: string): TouchedApis {
  const touched: TouchedApis = new Map()
  const config = path.join(root, folder, 'tsconfig.json')
  using api = openApi(root)
  using snapshot = api.client.updateSnapshot({ openProjects: [config] })
  const project = snapshot.getProject(config)
  if (project === undefined) throw new Error(`${config} cannot be opened`)
  for (const name of sources(path.join(root, folder))) {
    const file = project.program.getSourceFile(path.join(root, folder, name))
    if (file === undefined) throw new Error(`${folder}/${name} is not part of ${config}`)
    visit(file, (node) => {
      for (const apiName of apisAt(node, project)) {
        const places = touched.get(apiName) ?? []
        touched.set(apiName, [...new Set([...places, `${folder}/${name}`])])
      }
    })
  }
  return touched
}

function openApi(cwd: string) {
  const client = new API({ cwd })
  return { client, [Symbol.dispose]: () => client.close() }
}

function sources(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  node.forEachChild((child) => {
    visit(child, see)
    return undefined
  })
}

function* apisAt(node: Node, project: Project): Generator<string> {
  if (isCallExpression(node)) yield* eventOf(node, project)
  // A name in a type touches nothing; only names in expressions count.
  if (!isIdentifier(node) || isInType(node)) return
  const member = electronMember(symbolAt(node, project), project)
  if (member !== undefined && !emitterMembers.has(member.name)) yield `${member.owner}.${member.name}`
}

function* eventOf(call: CallExpression, project: Project): Generator<string> {
  const [event] = call.arguments
  const callee = call.expression
  if (!isPropertyAccessExpression(callee) || !event || !isStringLiteral(event)) return
  const member = electronMember(symbolAt(callee.name, project), project)
  if (!member || !listening.has(member.name)) return
  if (member.owner === 'Process' && !electronProcessEvents.has(event.text)) return
  yield `${member.owner}:${event.text}`
}

/** A part that was picked of an Electron type (`Pick<App, 'on'>`) counts as that type's own. */
function symbolAt(name: Node, { checker }: Project): TypeSymbol | undefined {
  const access = name.parent
  if (isPropertyAccessExpression(access) && access.name === name) {
    const type = checker.getTypeAtLocation(access.expression)
    const picked = type?.getAliasSymbol()?.name === 'Pick' ? type.getAliasTypeArguments()[0] : undefined
    if (picked !== undefined) return checker.getPropertyOfType(picked, name.getText())
  }
  return checker.getSymbolAtLocation(name)
}

const memberKinds = [
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.PropertySignature,
  SyntaxKind.GetAccessor,
]
const methodKinds = [SyntaxKind.MethodDeclaration, SyntaxKind.MethodSignature]

function electronMember(
  symbol: TypeSymbol | undefined,
  project: Project,
): { owner: string; name: string } | undefined {
  const declaration = symbol?.declarations.find(({ path }) => path.endsWith('electron/electron.d.ts'))
  if (symbol === undefined || declaration === undefined || !memberKinds.includes(declaration.kind))
    return undefined
  const owner = declaration.resolve(project)?.parent
  if (owner === undefined || !(isInterfaceDeclaration(owner) || isClassDeclaration(owner))) return undefined
  // Types that only hold data, such as a rectangle, need no test.
  const hasMethods = owner.members.some((member) => methodKinds.includes(member.kind))
  return hasMethods && owner.name ? { owner: owner.name.text, name: symbol.name } : undefined
}

function isInType(node: Node): boolean {
  for (let each: Node | undefined = node; each !== undefined; each = each.parent) {
    if (each.kind >= SyntaxKind.FirstTypeNode && each.kind <= SyntaxKind.LastTypeNode) return true
    if (each.kind === SyntaxKind.ImportDeclaration) return true
  }
  return false
}
