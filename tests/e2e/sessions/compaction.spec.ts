import { expect, type SharedRoom, test } from '../support/session-test.ts'

const summary = '- 頼まれたこと: 港の町の話\n- 決めたこと: 題は「時計」'

/** Answers requests for a summary at any time; the script answers all others. */
function summarises({ llama, mind }: SharedRoom): void {
  llama.options.answer = (request) => {
    const last = JSON.stringify(request.messages.at(-1)?.content ?? '')
    return last.includes('ここまでの会話') && last.includes('要約する')
      ? { text: summary }
      : mind.answer(request)
  }
}

test('/compact: the model goes on with a summary, and the conversation above stays readable', async ({
  openSharedRoom,
}) => {
  const opened = await openSharedRoom()
  const { room, mind, asked, session } = opened
  summarises(opened)
  for (const number of [1, 2, 3, 4, 5]) {
    mind.think({ decide: {} }, { say: `${number} 番目の返事です。${'波の音がした。'.repeat(30)}` })
    await room.say(`${number} 番目の頼みです。`)
    await expect(room.conversation).toContainText(`${number} 番目の返事です。`)
    await room.isAt('済み')
  }
  await room.say('/compact')
  await expect(room.conversation).toContainText('ここまでを短縮しました')
  await room.conversation.getByText('ここまでを短縮しました').click()
  await expect(room.conversation).toContainText('題は「時計」')
  expect((await session()).items.filter(({ kind }) => kind === 'user')).toHaveLength(5)

  mind.think({ decide: {} }, { say: '六番目の返事です。' })
  await room.say('続けましょう。')
  await expect(room.conversation).toContainText('六番目の返事です。')
  const sent = asked()
  expect(sent).toContain('題は「時計」')
  expect(sent).not.toContain('1 番目の返事です。')
  expect(sent).toContain('5 番目の返事です。')
  await room.conversation.hover()
  await room.page.mouse.wheel(0, -20_000)
  await expect(room.conversation).toContainText('1 番目の返事です。')
})
