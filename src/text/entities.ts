/** HTML character references as the characters they stand for. */

/** Numeric ones and the common names; others stay as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED.get(name) ?? whole
    const point = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : whole
  })
}

// --- internal ---

const REFERENCE = /&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});/g

const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['ensp', ' '],
  ['emsp', ' '],
  ['shy', ''],
  ...pairs('middot· ndash– mdash— hellip… bull• para¶ lsquo‘ rsquo’ ldquo“ rdquo” sect§ laquo« raquo» copy© reg® trade™'),
  ...pairs('larr← rarr→ times× deg° euro€ aumlä oumlö uumlü szligß AumlÄ OumlÖ UumlÜ'),
  ...pairs('eacuteé egraveè agraveà aacuteá ccedilç ntildeñ ecircê iacuteí oacuteó uacuteú'),
])

/** Each word is a name and, as its last character, what it stands for. */
function pairs(words: string): [string, string][] {
  return words.split(' ').map((word) => [word.slice(0, -1), word.slice(-1)])
}
