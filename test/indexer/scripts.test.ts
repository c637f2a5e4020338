import { describe, expect, it } from 'vitest'
import { openSession } from './session-harness.js'

/** Sentence, then queries that find its line. */
const TEXTS: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'Chinese',
    '黑豹队的防守只丢了9081分，使用API接口登录系统',
    ['防守', '队', '黑豹队的防守', '使用API接口', 'API', '登录', '9081'],
  ],
  ['Japanese', '東京タワーは高さ９７５３メートルです', ['東京', 'タワー', '高', '9753', '東京タワー']],
  ['Korean', '서울특별시에서 회의가 열렸습니다', ['서울', '회의', '열', '서울특별시']],
  ['Thai', 'กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย', ['ประเทศไทย', 'เมือง', 'ไทย']],
  ['Arabic', 'ذَهَبَ الطَّالِبُ إلى المَدْرَسَةِ', ['المدرسة', 'الطالب']],
  ['Hebrew', 'שָׁלוֹם עולם', ['שלום']],
  ['Cyrillic', 'Съешь ещё этих мягких французских булок', ['СЪЕШЬ', 'булок']],
  ['Hindi', 'भारत की राजधानी नई दिल्ली है', ['राजधानी', 'दिल्ली']],
  ['accents', 'Crème brûlée à la façon de São Paulo', ['creme brulee', 'São', 'Sa\u0303o']],
  ['emoji', 'deployment finished 🚀 without errors', ['🚀', 'finished 🚀']],
  ['full width', 'ＡＢＣ１２３ カタカナ', ['ABC123', 'カタカナ']],
  ['rare characters', '𠮷野家で食べる', ['𠮷野', '𠮷']],
]

describe('a search in any script', () => {
  it.each(TEXTS)('finds words, parts of words and single characters: %s', async (_, sentence, queries) => {
    const session = await openSession()
    const filler = Array.from({ length: 400 }, (_, n) => `Line ${n} of plain text about rivers and weather.`)
    filler.splice(250, 0, sentence)
    await session.put(filler.join('\n'))
    for (const query of queries) {
      const { text } = await session.search(query, undefined, 1)
      expect(text, query).toContain(`251\t${sentence}`)
    }
  })

  it('finds nothing for what is in no text', async () => {
    const session = await openSession()
    await session.put(`${'A line of plain text.\n'.repeat(200)}黑豹队的防守`)
    for (const query of ['熊猫', 'ประเทศ', 'مدرسة', '🦀', 'xylophone quasar']) {
      expect((await session.search(query)).text, query).toContain('Nothing found')
    }
  })
})

describe('a literal', () => {
  it.each([
    ['a.b[3]', 'const x = a.b[3] + 1'],
    ['0x7f', 'mov eax, 0x7f'],
    ['ECONNREFUSED 10.0.0.4:5432', 'Error: connect ECONNREFUSED 10.0.0.4:5432'],
    ['"take the left road"', 'and then take the left road home'],
    ['3f2a9c1', 'commit 3f2a9c1be07d55aa6e4cdd0f'],
    ['src/store/sql.ts', 'at src/store/sql.ts:42'],
    ['C++', 'written in C++ and Rust'],
    ['=>', 'const f = (x) => x'],
    ['"9c1be07d"', 'commit 3f2a9c1be07d55aa6e4cdd0f'],
  ])('is found with its line before its words: %s', async (query, line) => {
    const session = await openSession()
    const decoys = [
      'a b 3 and b[3].a',
      'take left, the road',
      'connect refused 10 0 0 4 5432',
      'src store sql ts',
      'C and Rust',
    ]
    const filler = Array.from({ length: 400 }, (_, n) =>
      n % 40 === 0 ? decoys[(n / 40) % decoys.length] : `Paragraph ${n} on rain.`,
    )
    filler.splice(250, 0, line)
    await session.put(filler.join('\n'))
    const { text } = await session.search(query, undefined, 1)
    expect(text).toContain(`251\t${line}`)
  })
})
