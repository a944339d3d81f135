import { describe, expect, it } from 'vitest'
import { indexFile } from './index-file.ts'
import { likenessOf, topicsOf } from './topics.ts'

const filler = '　風が吹いた。\n'.repeat(40)
const atSea = ['　船長は燈台を見た。\n', '　燈台の下に嵐が来た。\n', '　嵐の中で船長は笑った。\n']
const atHome = ['　猫は台所で鼠を追った。\n', '　鼠は魚を盗んだ。\n', '　台所の魚を猫が食べた。\n']

describe('topics of a work', () => {
  it('tell that a scene is about the words of a question that stand only in similar scenes', async () => {
    const letters = [...'アカサタナハマヤ']
    const others = letters.flatMap((a) => letters.map((b) => `　${a}${b}ンは${b}${a}ルを見た。\n`.repeat(2)))
    const scenes = [...Array.from({ length: 8 }, () => [atSea.join(''), atHome.join('')]).flat(), ...others]
    const text = [...scenes, '　嵐と船長。\n', '　猫と魚。\n'].map((scene) => `${scene}${filler}`).join('')
    const file = await indexFile('1.txt', text)
    const likeness = likenessOf(await topicsOf([file], 16), file, ['燈台'])
    const of = (words: string) => likeness[file.lines.findIndex((line) => line.text.includes(words))] ?? 0
    expect(of('嵐と船長')).toBeGreaterThan(0.5)
    expect(of('猫と魚')).toBeLessThan(0.2)
  })

  it('are found in each file by itself: a scene ends with its file', async () => {
    const sea = await indexFile('1.txt', `${filler}${atSea.join('').repeat(2)}`)
    const home = await indexFile('2.txt', `${atHome.join('').repeat(2)}${filler}`)
    const topics = await topicsOf([sea, home], 16)
    expect(likenessOf(topics, home, ['燈台'])[0]).toBeLessThan(0.2)
    expect(likenessOf(topics, sea, ['燈台']).at(-1)).toBeGreaterThan(0.5)
  })

  it('are none where a work has too few lines, and for words that it does not have', async () => {
    const file = await indexFile('1.txt', '海は静かだ。\n')
    expect([...likenessOf(await topicsOf([file], 16), file, ['海'])]).toEqual([0])
    expect([...likenessOf(await topicsOf([], 16), file, ['海'])]).toEqual([0])
  })
})
