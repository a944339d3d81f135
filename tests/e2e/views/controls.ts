import type { Page } from '@playwright/test'
import { checksAll } from './axe.ts'

/** Roles of controls, as a screen reader reports them. */
const controlRoles = new Set(
  'button link textbox searchbox checkbox radio combobox listbox option slider spinbutton switch tab menuitem treeitem splitter DisclosureTriangle'.split(
    ' ',
  ),
)

/** Parts whose name is read out when the focus enters them. */
const partRoles = new Set('group radiogroup listitem region form dialog article toolbar'.split(' '))

type AxNode = {
  nodeId: string
  parentId?: string
  ignored: boolean
  role?: { value: string }
  name?: { value: string }
  properties?: { name: string; value: { value: unknown } }[]
}

/**
 * A control as it is read out: role and name, without a name only the role; and the named parts that it is in.
 * `isFold`: it only shows what stands below it, as the rows of calls do.
 */
type HeardControl = { heard: string; within: string; isFold: boolean }

/** Every control in the page. */
export async function controlsIn(page: Page): Promise<HeardControl[]> {
  const client = await page.context().newCDPSession(page)
  try {
    const { nodes } = (await client.send('Accessibility.getFullAXTree')) as { nodes: AxNode[] }
    const byId = new Map(nodes.map((node) => [node.nodeId, node]))
    const parentOf = ({ parentId }: AxNode) => (parentId === undefined ? undefined : byId.get(parentId))
    const withinOf = (node: AxNode) => {
      const parts: string[] = []
      for (let at = parentOf(node); at !== undefined; at = parentOf(at))
        if (!at.ignored && partRoles.has(at.role?.value ?? '')) parts.push(at.name?.value ?? '')
      return parts.join('<')
    }
    const isFold = ({ role, properties = [] }: AxNode) => {
      const has = (name: string) => properties.some((one) => one.name === name)
      return role?.value === 'DisclosureTriangle' || (has('expanded') && !has('hasPopup'))
    }
    return nodes
      .filter(({ ignored, role }) => !ignored && controlRoles.has(role?.value ?? ''))
      .map((node) => ({
        heard: `${node.role?.value} ${(node.name?.value ?? '').trim()}`.trim(),
        within: withinOf(node),
        isFold: isFold(node),
      }))
  } finally {
    await client.detach()
  }
}

/** A control that has no name. */
export function isUnnamed({ heard }: HeardControl): boolean {
  return controlRoles.has(heard)
}

/** Returns controls that are read out alike in the same parts of one view, so that they cannot be distinguished. */
export function doubled(controls: readonly HeardControl[]): string[] {
  const all = controls
    .filter(({ heard, isFold }) => !isFold && !heard.startsWith('option '))
    .map(({ heard, within }) => `${heard}, in ${within}`)
  return [...new Set(all.filter((one, at) => all.indexOf(one) !== at))]
}

const mostStops = 200
const pressesAtOnce = 5

/** A walk as the page keeps it. */
type Walk = {
  start: Element | null
  stops: HTMLElement[]
  seen: Set<Element | null>
  isRound: boolean
  isOff(element: HTMLElement): boolean
  hear(event: FocusEvent): void
}

/**
 * Walks backwards through the page by Shift+Tab alone, back to the start, and restores the focus. Backwards, since Tab
 * itself accepts offers. Controls that were reached before, in the same place by the classes of their elements, need
 * not be reached again: the walk begins behind the last new one and ends when all of these were reached.
 *
 * Shape: the visible controls of the tab order that were not reached.
 */
export async function unreachedByKeyboard(page: Page): Promise<string[]> {
  const isWorthIt = await page.evaluate((checksAll) => {
    const isOff = (element: HTMLElement) =>
      element.tabIndex < 0 ||
      element.matches(':disabled, [inert] *, [aria-hidden=true] *, input[type=radio]:not(:checked)') ||
      !element.checkVisibility({ visibilityProperty: true }) ||
      element.getClientRects().length === 0
    const scope = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document
    const controls = 'button, a[href], input, select, textarea, [contenteditable=true], summary'
    const walk = {
      start: document.activeElement,
      stops: [...scope.querySelectorAll<HTMLElement>(controls)].filter((element) => !isOff(element)),
      isOff,
      seen: new Set<Element | null>([document.activeElement]),
      first: null as Element | null,
      isRound: false,
      hear({ target }: FocusEvent) {
        if (!(target instanceof Element)) return
        walk.isRound ||= target === walk.first
        walk.first ??= target
        walk.seen.add(target)
      },
    }
    const known = window as unknown as { reachedPlaces?: Set<string> }
    known.reachedPlaces ??= new Set()
    const placeOf = (element: HTMLElement) => {
      const chain = [element.ariaLabel ?? '']
      for (let at: Element | null = element; at !== null; at = at.parentElement)
        chain.push(`${at.tagName}.${at.className}`)
      return chain.join('<')
    }
    const all = walk.stops
    const places = all.map(placeOf)
    const isNew = places.map((place) => !known.reachedPlaces?.has(place))
    for (const place of places) known.reachedPlaces.add(place)
    if (!checksAll) {
      walk.stops = all.filter((_, at) => isNew[at])
      if (walk.stops.length === 0) return false
      const behind = all[(isNew.lastIndexOf(true) + 1) % all.length]
      behind?.focus({ preventScroll: true })
    }
    document.addEventListener('focusin', walk.hear, true)
    Object.assign(window, { walk })
    return true
  }, checksAll)
  if (!isWorthIt) return []
  for (let stop = 0; stop < mostStops; stop += pressesAtOnce) {
    for (let press = 0; press < pressesAtOnce; press += 1) await page.keyboard.press('Shift+Tab')
    const isOver = await page.evaluate((isEnoughToReach) => {
      const { walk } = window as unknown as { walk: Walk }
      return walk.isRound || (isEnoughToReach && walk.stops.every((element) => walk.seen.has(element)))
    }, !checksAll)
    if (isOver) break
  }
  return page.evaluate(() => {
    const { walk } = window as unknown as { walk: Walk }
    document.removeEventListener('focusin', walk.hear, true)
    if (walk.start instanceof HTMLElement) walk.start.focus({ preventScroll: true })
    // What was drawn anew on the way, as lines of a list that scrolls are, is another element by now.
    const missed = walk.stops.filter(
      (element) => element.isConnected && !walk.isOff(element) && !walk.seen.has(element),
    )
    return missed.map((element) =>
      `${element.className} ${element.ariaLabel ?? element.textContent}`.slice(0, 120),
    )
  })
}
