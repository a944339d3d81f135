const paths = {
  add: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.2 3L13 4.5',
  chevron: 'M6 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  folder: 'M2 4h4l1.5 2H14v7H2z',
  settings:
    'M2 4.5h6M12 4.5h2M8 4.5a2 2 0 104 0 2 2 0 10-4 0M2 11.5h2M8 11.5h6M4 11.5a2 2 0 104 0 2 2 0 10-4 0',
  lock: 'M4 7h8v6H4zM5.5 7V5a2.5 2.5 0 015 0v2',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  model: 'M4 4h8v8H4zM6 1.5V4M10 1.5V4M6 12v2.5M10 12v2.5M1.5 6H4M1.5 10H4M12 6h2.5M12 10h2.5',
  panelLeft: 'M2 3h12v10H2zM6 3v10',
  panelRight: 'M2 3h12v10H2zM10 3v10',
  pin: 'M6 2h4M6.5 2v4.5L4.5 9h7l-2-2.5V2M8 9v5',
  redo: 'M13 4v3.5H9.5M12.7 7.2A5 5 0 103 9.5',
  search: 'M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.3 10.3L14 14',
  stop: 'M4.5 4.5h7v7h-7z',
  warn: 'M8 2l6.5 11.5h-13zM8 6.5v3.5M8 12h.01',
} as const

export type IconName = keyof typeof paths

/** A line drawing in the colour of the text beside it; meaning always stands in words as well. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth={name === 'more' ? 2 : 1.3}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
