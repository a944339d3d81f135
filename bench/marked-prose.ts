/** Prose with what a novelist writes into it: ruby, emphasis, dice and comments, in lines all over the text. */
export function markedProse(text: string): string {
  return text
    .split('\n')
    .map((line, index) => {
      if (line.length < 4) return line
      const marked =
        index % 3 === 0 ? `${line.slice(0, 2)}｜運命《さだめ》と《《今》》${line.slice(2)}` : line
      if (index % 50 === 1) return `${marked}@// 覚え`
      return index % 40 === 2 ? `${marked}{雨|雪}` : marked
    })
    .join('\n')
}
