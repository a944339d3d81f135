import './word-choices.css'

type WordChoicesProps = {
  label: string
  /** The likeliest first; `share` as it is read. */
  words: readonly { text: string; share: string }[]
  onTake: (word: string) => void
}

/** Words that may stand at a place, each with its share; white space can be seen. */
export function WordChoices({ label, words, onTake }: WordChoicesProps) {
  return (
    <ol className="word-choices" aria-label={label}>
      {words.map(({ text, share }) => (
        <li key={text}>
          <button type="button" className="word-choice" onClick={() => onTake(text)}>
            <span className="serif">{text.trim() === '' ? '␣' : text.replaceAll('\n', '↵')}</span>
            <span className="dim">{share}</span>
          </button>
        </li>
      ))}
    </ol>
  )
}
