import { useState } from 'react'
import { splitTagInput } from '../../../shared/text/manuscript/tags.ts'
import { Icon } from '../icon.tsx'
import type { FieldIds } from './field.tsx'

type TagInputProps = {
  ids: FieldIds
  tags: readonly string[]
  /** Gets a function of the tags as they are by the time that the change is made. False: it was not made. */
  onChange: (change: (tags: readonly string[]) => string[]) => Promise<boolean>
  /** Name of a tag's button, e.g. "Remove rain". */
  removeLabel: (tag: string) => string
}

/** Words in an order. Enter adds, Backspace edits the last; what could not be added is in the box again. */
export function TagInput({ ids, tags, onChange, removeLabel }: TagInputProps) {
  const [typed, setTyped] = useState('')

  const add = async () => {
    setTyped('')
    if (splitTagInput(typed, tags).length === 0) return
    const isAdded = await onChange((all) => [...all, ...splitTagInput(typed, all)])
    if (!isAdded) setTyped((since) => [since, typed].filter(Boolean).join(' '))
  }

  return (
    <div className="tag-input">
      {tags.map((tag) => (
        <span key={tag} className="tag">
          <span className="clip">{tag}</span>
          <button
            type="button"
            aria-label={removeLabel(tag)}
            onClick={() => void onChange((all) => all.filter((other) => other !== tag))}
          >
            <Icon name="close" size={10} />
          </button>
        </span>
      ))}
      <input
        {...ids}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => void add()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            void add()
          } else if (event.key === 'Backspace' && typed === '' && tags.length > 0) {
            event.preventDefault()
            const last = tags.at(-1) ?? ''
            setTyped(last)
            void onChange((all) => all.filter((other) => other !== last))
          }
        }}
      />
    </div>
  )
}
