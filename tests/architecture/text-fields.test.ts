import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const renderer = join(root, 'src/renderer')

/** A test that plays an input method in a field: its file under `tests/e2e`, and a view's name or a title in it. */
type Played = `${string}.spec.ts: ${string}`

const view = (name: string): Played => `drafting/ime-fields.spec.ts: ${name}`

/**
 * The text fields of the window by file, with the test that plays an input method in each. Fields for numbers, dates
 * and secrets need none.
 */
const held: Record<string, Played[]> = {
  'editor/manuscript/manuscript-editor.ts': [view('text and details')],
  'editor/message/message-editor.ts': [view('session: message, list, course')],
  'features/consent/audit-log.tsx': [view('record of approvals')],
  'features/consent/rules-section.tsx': [view("settings('rules'")],
  'features/context/lore-dialog.tsx': [view('lore entry')],
  'features/course/course-entry.tsx': [
    'window-gates/course.spec.ts: an Enter that ends a composition keeps nothing',
  ],
  'features/details/detail-field.tsx': [view('text and details'), view('memo')],
  'features/find/find-dialog.tsx': [view('replace in the work'), view('replace in the work')],
  'features/find/search-form.tsx': [view('question about the work')],
  'features/gates/gate-actions.tsx': [
    'window-gates/answer.spec.ts: the reason of a refusal is written with an input method',
  ],
  'features/manuscript/manuscript-dialogs.tsx': [view('ruby')],
  'features/models/model-dialogs.tsx': [view('file of a model')],
  'features/models/profile-form.tsx': [view("settings('models'"), view("settings('models'")],
  'features/models/add-server.tsx': [view("settings('models'")],
  'features/palette/palette.tsx': [view('commands')],
  'features/picker/picker.tsx': [view('new work'), view('folders'), view('new folder in the picker')],
  'features/publishing/publish-dialogs.tsx': [view('export')],
  'features/rewrite/rewrite-dialog.tsx': [view('rewriting'), view('rewriting')],
  'features/sessions/session-search.tsx': [view('search in sessions')],
  'features/settings/setting-fields.tsx': [view("settings('drafting'")],
  'features/settings/editor-section.tsx': [view("settings('editor'")],
  'features/settings/sampler-section.tsx': [view("settings('sampler'")],
  'features/shell/stopped-pages.tsx': [
    'faults/killed-host.spec.ts: an address without its link explains itself in both languages',
  ],
  'features/summaries/written-summary.tsx': [view('draft of a summary')],
  'features/takes/take-dialogs.tsx': [view('part of a take')],
  'features/tools/folder-commands.tsx': [
    view("settings('tools'"),
    view("settings('tools'"),
    view("settings('tools'"),
  ],
  'features/tools/tool-servers.tsx': [
    view("settings('tools'"),
    view("settings('tools'"),
    view("settings('tools'"),
  ],
  'features/undo/apply-dialog.tsx': ['window-gates/consent.spec.ts: a text is applied to a file'],
  'ui/fields/name-input.tsx': [view('name of a chapter')],
  'ui/fields/tag-input.tsx': [view('text and details')],
  'ui/fields/text-field.tsx': [view('ruby')],
}

/** Tags of fields, whole: an attribute in braces may hold `>`. */
function* fieldTags(source: string): Generator<string> {
  for (const { index } of source.matchAll(
    /<(?:input|textarea|TextField|Command\.Input)\b|\bnew EditorView\(\{/g,
  )) {
    let depth = 0
    let at = index
    for (; at < source.length; at += 1) {
      if (source[at] === '{') depth += 1
      if (source[at] === '}') depth -= 1
      if (depth === 0 && at > index && (source[at] === '>' || source[at] === ')')) break
    }
    yield source.slice(index, at)
  }
}

/** Whether a person writes words there. */
function takesText(tag: string): boolean {
  return (
    !/type="(?:checkbox|radio|range|number|password|file)"/.test(tag) &&
    !/inputMode="(?:numeric|decimal)"/.test(tag) &&
    !/\breadOnly(?:$|\s|\()/.test(tag)
  )
}

it('every field of the window that takes a text is played with an input method', () => {
  const found = Object.fromEntries(
    readdirSync(renderer, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => {
        const tags = [...fieldTags(readFileSync(join(renderer, file), 'utf8'))].filter(takesText)
        return [relative('.', file).replaceAll('\\', '/'), tags.length] as const
      })
      .filter(([, count]) => count > 0),
  )
  expect(found).toEqual(Object.fromEntries(Object.entries(held).map(([file, by]) => [file, by.length])))
})

it('the tests that are said to play them are there', () => {
  const sources = new Map<string, string>()
  for (const played of Object.values(held).flat()) {
    const [file = '', ...words] = played.split(': ')
    const source = sources.get(file) ?? readFileSync(join(root, 'tests/e2e', file), 'utf8')
    sources.set(file, source)
    const name = words.join(': ')
    expect(source, played).toContain(name)
    expect(source, played).toMatch(/imeSetComposition|playComposition/)
  }
})
