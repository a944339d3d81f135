import { useState } from 'react'
import { splitTagInput } from '../../../shared/text/manuscript/tags.ts'
import { Icon } from '../icon.tsx'
import type { FieldIds } from './field.tsx'

type TagInputProps = {
  ids: FieldIds
  tags: readonly string[]
  /** Gets a function of the tags as they are by the time that the change is made. */
  onChange: (change: (tags: readonly string[]) => string[]) => void
  /** Name of a tag's button, e.g. "Remove rain". */
  removeLabel: (tag: string) => string
}

/** Words in an order: Enter or leaving adds, Backspace in an empty box takes the last one back for editing. */
export function TagInput({ ids, tags, onChange, removeLabel }: TagInputProps) {
  const [draft, setDraft] = useState('')

  const add = () => {
    setDraft('')
    if (splitTagInput(draft, tags).length > 0) onChange((all) => [...all, ...splitTagInput(draft, all)])
  }

  return (
    <div className="tag-input">
      {tags.map((tag) => (
        <span key={tag} className="tag">
          <span className="clip">{tag}</span>
          <button
            type="button"
            aria-label={removeLabel(tag)}
            onClick={() => onChange((all) => all.filter((other) => other !== tag))}
          >
            <Icon name="close" size={10} />
          </button>
        </span>
      ))}
      <input
        {...ids}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            add()
          } else if (event.key === 'Backspace' && draft === '' && tags.length > 0) {
            event.preventDefault()
            const last = tags.at(-1) ?? ''
            setDraft(last)
            onChange((all) => all.filter((other) => other !== last))
          }
        }}
      />
    </div>
  )
}
