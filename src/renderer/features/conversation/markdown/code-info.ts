/** The language and path behind the fence of a piece of code. */
export type CodeInfo = { language: string; path: string | null }

const pathLike = /^[^\s:*?"<>|`]*[./\\][^\s:*?"<>|`]*$/

/**
 * Reads the fence's line as models write it: `ts`, `ts src/date.ts`, `ts:src/date.ts`, `ts title="src/date.ts"`,
 * or a path alone.
 */
export function codeInfo(info: string): CodeInfo {
  const titled = info.match(/\b(?:title|file|filename|path)=(?:"([^"]+)"|'([^']+)'|(\S+))/i)
  const [first = '', second = ''] = info.trim().split(/[\s:]+/, 2)
  const named = titled?.[1] ?? titled?.[2] ?? titled?.[3] ?? ''
  const path = [named, second, first].find((word) => word !== '' && pathLike.test(word)) ?? null
  const isFirstPath = first === path
  const ending = path === null ? '' : path.slice(path.lastIndexOf('.') + 1)
  return { language: (isFirstPath ? ending : first).toLowerCase(), path }
}
