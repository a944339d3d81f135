import type { Event } from 'electron'

/** An event of the main process, with whatever else it carries. */
export function createEvent<T extends object>(contents?: T): Event<T> {
  let isPrevented = false
  const event = {
    preventDefault() {
      isPrevented = true
    },
    get defaultPrevented() {
      return isPrevented
    },
  }
  return Object.assign(event, contents) as Event<T>
}
