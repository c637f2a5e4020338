/** Evidence for a format in the first lines of a text. All take its non-blank lines. */

/** @param isCut whether the last line may be incomplete */
export function looksLikeNdjson(lines: readonly string[], isCut: boolean): boolean {
  const whole = (isCut && lines.length > 1 ? lines.slice(0, -1) : lines).slice(0, 50)
  return whole.length > (isCut ? 0 : 1) && whole.every((line) => /^\s*[{[]/.test(line) && isJsonLine(line))
}

/** The same number of delimiters, outside quotes, on nearly every line. */
export function looksLikeCsv(lines: readonly string[]): boolean {
  const sample = lines.slice(0, 30)
  if (sample.length < 3 || /^\s*[{[<#|]/.test(sample[0] ?? '')) return false
  return DELIMITERS.some((delimiter) => {
    const counts = sample.map((line) => count(line.replace(QUOTED, ''), delimiter))
    const columns = counts[0] ?? 0
    if (columns === 0 || (columns === 1 && sample.length < 6)) return false
    const same = counts.filter((n) => n === columns).length
    return same >= sample.length * 0.9 && (delimiter !== ',' || !sample.every(isSentence))
  })
}

/** Times or levels where log lines have them. */
export function looksLikeLog(lines: readonly string[]): boolean {
  const sample = lines.slice(0, 100)
  const hits = sample.filter(
    (line) => STAMP.test(line.slice(0, 80)) || LEVEL.test(line.slice(0, 60)) || JSON_LOG.test(line.slice(0, 400)),
  )
  return hits.length >= 2 && hits.length >= sample.length * 0.4
}

/** More lines that only code has than lines that only prose has. */
export function looksLikeCode(lines: readonly string[]): boolean {
  if (lines.some((line) => /^#!\s*\//.test(line))) return true
  let score = 0
  let fenced = false
  for (const line of lines.slice(0, 200)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    else if (fenced || MARKUP.test(line)) score--
    else if (CODE.test(line)) score += 2
    else if (CODE_END.test(line)) score++
    else if (isSentence(line)) score--
  }
  return score >= Math.max(2, Math.min(200, lines.length) * 0.2)
}

/** A heading, or several marks of other kinds. */
export function looksLikeMarkdown(lines: readonly string[]): boolean {
  const headings = lines.filter((line) => /^ {0,3}#{1,6}\s+\S/.test(line)).length
  const setext = lines.some((line, i) => i > 0 && /^(?:={3,}|-{3,})\s*$/.test(line) && /^[\p{L}\d]/u.test(lines[i - 1] ?? ''))
  const marks = lines.filter((line) => MARKUP.test(line)).length
  return headings > 0 || setext || marks >= Math.max(3, lines.length * 0.15)
}

// --- internal ---

const DELIMITERS = ['\t', ',', ';', '|']
const QUOTED = /"(?:[^"]|"")*"/g
const STAMP =
  /^.{0,45}?(?:\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d{1,2}\/[A-Z][a-z]{2}\/\d{4}:\d\d|\b[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d|\b\d\d:\d\d:\d\d[.,]\d{3})|^[IWEF]\d{4} \d\d:\d\d:\d\d|^\[ *\d+\.\d{6}\]/
const LEVEL =
  /^(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|trace|debug|info|warn(?:ing)?|error|fatal)[\]:|\s]|.{0,40}\b(?:DEBUG|INFO|WARN|ERROR|FATAL)\b)/
const JSON_LOG = /^\s*\{.*"(?:level|severity|time|timestamp|ts|@timestamp|msg)"\s*:/
const MARKUP =
  /^\s*(?:[-*+] \[[ x]\] |[-*+] \*\*|\d+\. \*\*|> \S|\|?[ :]*-{3,}[ :]*\|)|\[[^\]]+\]\((?:https?:|\/|#|\.)[^)]*\)|\*\*[^*]+\*\*|^\s*[-*+] \S/
const CODE =
  /^\s*(?:(?:export|import|from|package|using|namespace|#include|#define|use|require)\b.*['"<;{.\w]|(?:public|private|protected|static|async|abstract|final|pub)\s+\w.*[({;]|(?:function|class|interface|struct|enum|trait|impl|def|fn|func|module|type)\s+[\w$<]+.*[({:=]|(?:const|let|var)\s+[\w$[{].*=|(?:if|for|while|switch)\s*\(.*\)\s*\{?$|return\b.*;$|(?:CREATE|ALTER|DROP|INSERT INTO|SELECT|SET|UPDATE|GRANT)\s+[\w"'`*].*|!function\()/
const CODE_END = /(?:[;{}]|\)[;,:]|=>|\*\/)\s*$|^\s*(?:\/\/|\/\*|--|\*\s)|^\s*[)}\]]+[;,]?\s*$/

function isJsonLine(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

function isSentence(line: string): boolean {
  return /^\s*(?:["'(]?\p{Lu}?[\p{L}'’]+,? ){4,}/u.test(line)
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found++
  return found
}
