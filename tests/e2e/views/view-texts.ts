import type { Language } from '../../../src/shared/i18n/translate.ts'

const ja = {
  title: '刻の迷宮',
  files: {
    '001 鐘の音.txt': '　鐘の音で目が覚めた。霧はまだ街を覆い、石畳は夜の雨を含んで黒く光っている。\n',
    '002 時計塔.txt': '　時計塔の階段は二百十七段ある。数えたのは、これが初めてではない。\n',
    '003 逆回転.txt':
      '@// ここから雨を強く\n　時計の針が逆回転を始めた。\n　風景がぐにゃりと歪む。壁に飾られた絵画の人物が、ゆっくりとこちらを向いた。\n　彼は口を開き、何かを伝えようとしている。その唇が形作ったのは',
    '資料/登場人物.md': '# 登場人物\n\n篠田 時計塔の番人。\n',
    '資料/年表.md': '# 年表\n\n1891 時計塔が建つ。\n',
  },
  offer:
    '——音のない、私の名前だった。雨が窓を叩く。三度、間を置いて、もう一度。まるで誰かが、向こう側から合図を送っているように。',
  other: '「逃げて」という二文字だった。声は聞こえない。けれど、その形だけは確かに読めた。',
  long: '　私は塔を駆け降りた。217 段目を数える余裕はない。背後で針が軋み、文字盤の硝子が震える。\n',
  details: {
    title: '刻の迷宮',
    keywords: ['時計塔', '雨', '鏡'],
    synopsis: '時が逆に流れる塔で、篠田は失われた名前を探す。',
  },
  edit: '1900 年の閏年の判定を直してください。',
  rationale: '規則を確かめるため',
  goal: '閏年の判定を直す',
  constraint: '公開関数の形を変えない',
  step: '判定を直す',
  reason: '1900 年は 100 で割り切れ、400 では割り切れない',
  runReason: 'テストで確かめる',
  done: '閏年の判定を直しました。100 年ごとの例外と 400 年ごとの例外を足し、テストはすべて通っています。',
  askMore: '題を決めてください。',
  question: '題はどちらにしますか。',
  options: ['時計', '港'],
  answered: '「港」にしました。',
  clean: '生成物を消してください。',
  cleanReason: '古い生成物を消す',
  cleaned: '古い生成物を消しました。',
  suggestion: 'テストを実行して',
  fail: 'もう少し詳しく教えてください。',
}

const en: Omit<typeof ja, 'files'> & { files: Record<string, string> } = {
  title: 'The Clock Maze',
  files: {
    '001 The Bell.txt':
      'The bell woke her. Fog still lay over the town, and the cobbles shone black with the night’s rain.\n',
    '002 The Tower.txt':
      'There are two hundred and seventeen steps to the tower. She had counted them before.\n',
    '003 Backwards.txt':
      '@// heavier rain from here\nThe hands of the clock began to turn backwards.\n\nThe room bent. The man in the painting turned his face to her, slowly, as though he had all the time that was left.\n\nHe opened his mouth to tell her something. What his lips shaped was',
    'notes/people.md': '# People\n\nShinoda, keeper of the tower.\n',
    'notes/timeline.md': '# Timeline\n\n1891 The tower is built.\n',
  },
  offer:
    ' her name, without a sound. Rain struck the window: three times, a pause, and once more, as though somebody on the other side were giving a sign.',
  other: ' a single word: run. She could not hear it, but there was no mistaking the shape.',
  long: 'She ran. There was no time to count step 217. Behind her the hands ground on, and the glass of the dial trembled.\n',
  details: {
    title: 'The Clock Maze',
    keywords: ['clock tower', 'rain', 'mirror'],
    synopsis: 'In a tower where time runs backwards Shinoda looks for a name that was lost.',
  },
  edit: 'Fix the leap year check for 1900.',
  rationale: 'To see which rule it follows',
  goal: 'Fix the leap year check',
  constraint: 'Keep the exported functions as they are',
  step: 'Fix the check',
  reason: '1900 divides by 100 but not by 400',
  runReason: 'Check it with the tests',
  done: 'The leap year check follows the full rule now: centuries are no leap years unless they divide by 400. All tests pass.',
  askMore: 'Choose a title.',
  question: 'Which title shall it be?',
  options: ['The Clock', 'The Harbour'],
  answered: 'It is “The Harbour” now.',
  clean: 'Remove the generated files.',
  cleanReason: 'Remove what was built before',
  cleaned: 'The generated files are gone.',
  suggestion: 'run the tests',
  fail: 'Tell me more about it.',
}

/** The texts in the views, in each language. */
export const viewTexts: Record<Language, typeof en> = { ja, en }
