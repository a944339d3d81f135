import { useState } from 'react'
import { splitTagInput } from '../../../shared/text/manuscript/tags.ts'
import { Icon } from '../icon.tsx'
import type { FieldIds } from './field.tsx'

type TagInputProps = {
  ids: FieldIds
  tags: readonly string[]
  onChange: (tags: string[]) => void
  /** Name of a tag's button, e.g. "Remove rain". */
  removeLabel: (tag: string) => string
}

/** Words in an order: Enter or leaving adds, Backspace in an empty box takes the last one back for editing. */
export function TagInput({ ids, tags, onChange, removeLabel }: TagInputProps) {
  const [draft, setDraft] = useState('')

  const add = () => {
    const added = splitTagInput(draft, tags)
    setDraft('')
    if (added.length > 0) onChange([...tags, ...added])
  }

  return (
    <div className="tag-input">
      {tags.map((tag) => (
        <span key={tag} className="tag">
          <span className="clip">{tag}</span>
          <button
            type="button"
            aria-label={removeLabel(tag)}
            onClick={() => onChange(tags.filter((other) => other !== tag))}
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
            setDraft(tags.at(-1) ?? '')
            onChange(tags.slice(0, -1))
          }
        }}
      />
    </div>
  )
}
