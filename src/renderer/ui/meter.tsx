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
