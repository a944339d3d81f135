import './segmented.css'
import { ToggleGroup } from 'radix-ui'

type SegmentedProps<V extends string> = {
  label: string
  value: V
  options: readonly { value: V; label: string; hint?: string }[]
  isDisabled?: boolean
  onChange: (value: V) => void
}

/** A choice of a few options that are all visible; arrow keys move between them. */
export function Segmented<V extends string>(props: SegmentedProps<V>) {
  const { label, value, options, isDisabled = false, onChange } = props
  return (
    <ToggleGroup.Root
      type="single"
      className="segmented"
      aria-label={label}
      value={value}
      disabled={isDisabled}
      // Pressing the chosen one again would leave none.
      onValueChange={(next) => next !== '' && onChange(next as V)}
    >
      {options.map((option) => (
        <ToggleGroup.Item key={option.value} value={option.value} className="segment" title={option.hint}>
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
