import { type KeyboardEvent, useEffect } from 'react'
import type { DetailName } from '../../state/kept-texts.ts'
import { useApp } from '../../state/store-context.tsx'
import type { FieldIds } from '../../ui/fields/field.tsx'

type KeptTextProps = {
  ids: FieldIds
  isLong: boolean
  /** The folder of the work. */
  root: string
  name: DetailName
  value: string
  placeholder?: string
}

/**
 * A text field that is saved when typing pauses, when it is left, and before a command's key. What is typed is kept by
 * the window until the host has it; changes from elsewhere wait until then.
 */
export function KeptText({ ids, isLong, root, name, value, placeholder }: KeptTextProps) {
  const write = useApp((state) => state.detailTexts.write)
  const flush = useApp((state) => state.detailTexts.flush)
  useEffect(() => flush, [flush])

  const shared = {
    ...ids,
    placeholder,
    value,
    onChange: (event: { target: { value: string } }) => write(root, name, event.target.value),
    onBlur: flush,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) flush()
    },
  }
  return isLong ? (
    <textarea className="textarea" rows={3} {...shared} />
  ) : (
    <input className="input" {...shared} />
  )
}
