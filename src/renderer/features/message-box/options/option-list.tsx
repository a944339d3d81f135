import { type RefObject, useEffect, useId, useState } from 'react'
import type { MessageEditor } from '../../../editor/message/message-editor.ts'
import { Icon, type IconName } from '../../../ui/icon.tsx'

/** One completion of the text before the caret. */
export type BoxOption = { id: string; name: string; detail: string; icon?: IconName }

type OptionListProps = {
  id: string
  label: string
  options: readonly BoxOption[]
  chosen: number
  /** Opens the list below its field, where there is more room there. */
  isBelow?: boolean
  onTake: (index: number) => void
}

/** The completions of the text that was typed. The focus stays in the box. */
export function OptionList({ id, label, options, chosen, isBelow = false, onTake }: OptionListProps) {
  return (
    <div
      className={isBelow ? 'floating option-list option-list-below' : 'floating option-list'}
      role="listbox"
      aria-label={label}
      id={id}
    >
      {options.map((option, index) => (
        <div
          key={option.id}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          className="option"
          ref={index === chosen ? bringIntoSight : null}
          // Runs before the box loses the focus.
          onMouseDown={(event) => {
            event.preventDefault()
            onTake(index)
          }}
        >
          {option.icon && <Icon name={option.icon} size={14} />}
          <b>{option.name}</b>
          <span className="grow clip">{option.detail}</span>
        </div>
      ))}
    </div>
  )
}

function optionId(listId: string, index: number): string {
  return `${listId}-${index}`
}

function bringIntoSight(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

/** A list of options over an editor. `chosen`: -1 where there is none. */
type OpenList = { id: string; chosen: number; choose(step: 1 | -1): void; chooseFirst(): void }

/** Keeps which of the options is chosen; the editor says it to screen readers. */
export function useOptionList(
  editor: RefObject<MessageEditor | null>,
  options: readonly BoxOption[],
): OpenList {
  const id = useId()
  const [at, setAt] = useState(0)
  const chosen = Math.min(at, options.length - 1)
  const chosenId = chosen < 0 ? null : optionId(id, chosen)
  useEffect(
    () => editor.current?.setChosenOption(chosenId === null ? null : { list: id, option: chosenId }),
    [editor, chosenId, id],
  )
  return {
    id,
    chosen,
    choose: (step) => setAt((chosen + options.length + step) % options.length),
    chooseFirst: () => setAt(0),
  }
}
