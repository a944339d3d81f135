const subjects = ['猫', '祖父', '郵便屋', '彼女', '風', '見知らぬ男', '隣の犬', '先生']
const places = ['縁側で', '坂の上の家で', '古い駅の待合室で', '雨の橋で', '台所で', '誰もいない教室で']
const deeds = [
  '黙って空を見ていた',
  '手紙を読み返した',
  '昨日のことを思い出した',
  '少しだけ笑った',
  '時計を巻いた',
]

/** Returns an invented novel of paragraphs of different lengths, always the same, of at least `characters`. */
export function prose(characters: number): string {
  let text = ''
  for (let at = 0; text.length < characters; at += 1) {
    const pick = (list: readonly string[], by: number) => list[(at * by + (at >> 3)) % list.length] ?? ''
    text += `${at % 7 === 0 ? '\n　' : ''}${pick(subjects, 3)}は${pick(places, 5)}${pick(deeds, 7)}。`
    if (at % 7 === 6) text += '\n'
  }
  return `${text.trim()}\n`
}
