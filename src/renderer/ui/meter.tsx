import './meter.css'

type MeterProps = { label: string /** 0 to 1; null while it cannot be told. */; value: number | null }

/** A progress bar. An unknown progress is an even bar that says so to screen readers. */
export function Meter({ label, value }: MeterProps) {
  const percent = value === null ? null : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <span
      className={percent === null ? 'meter meter-unknown' : 'meter'}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent === null ? {} : { 'aria-valuenow': percent })}
    >
      <i style={{ transform: `scaleX(${percent === null ? 1 : percent / 100})` }} />
    </span>
  )
}

export type BarPart = {
  id: string
  label: string
  amount: number
  colour: 'info' | 'body' | 'seam' | 'ink' | 'ink2'
}

/** Parts of a whole side by side; each part is also named in words beside it. */
export function StackedBar({
  label,
  parts,
  total,
}: {
  label: string
  parts: readonly BarPart[]
  total: number
}) {
  return (
    <div className="stacked-bar" role="img" aria-label={label}>
      {parts.map((part) => (
        <i
          key={part.id}
          title={part.label}
          style={{
            width: `${(100 * part.amount) / Math.max(total, 1)}%`,
            background: `var(--${part.colour})`,
          }}
        />
      ))}
    </div>
  )
}
