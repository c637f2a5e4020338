/** What kind of text it is. */
import { describe, expect, it } from 'vitest'
import { detectFormat } from '../../src/text/format.js'
import { response, responses } from '../support/responses.js'

const cases: readonly (readonly [string, string, string])[] = [
  ['json', 'an object', ' {"a": [1, 2]}\n'],
  ['json', 'an array', '[]'],
  ['ndjson', 'an object a line', '{"a":1}\n{"a":2}\n{"a":3}\n'],
  ['plain', 'a JSON scalar', '"text"'],
  ['plain', 'broken JSON', '{"a": 1,'],
  ['markdown', 'headings', '# Title\n\nSome text.\n\n## Install\n\n- one\n- two\n'],
  ['markdown', 'setext headings', 'Title\n=====\n\nSome text here.\n'],
  ['markdown', 'front matter', '---\ntitle: A\n---\n\ntext\n'],
  ['markdown', 'a diff in a fence', '# Fix\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n'],
  [
    'markdown',
    'code in fences',
    '# Use\n\n```ts\nimport { a } from "b"\nconst x = a()\nexport { x }\n```\n\nThen read on about it.\n',
  ],
  ['html', 'a page', '<!DOCTYPE html>\n<html><head><title>x</title></head></html>'],
  ['html', 'a fragment', '<div>\n<p>one</p></div>'],
  ['diff', 'git', 'diff --git a/x.ts b/x.ts\nindex 1..2 100644\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n'],
  ['diff', 'a patch behind a commit', 'commit 0123456789abcdef\nAuthor: A\n\n    Fix it\n\ndiff --git a/x b/x\n'],
  ['csv', 'commas', 'id,name,price\n1,"a, b",2\n2,c,3\n3,d,4\n'],
  ['csv', 'tabs', 'id\tname\n1\ta\n2\tb\n3\tc\n4\td\n5\te\n'],
  ['log', 'ISO times', '2024-05-01T10:00:00Z INFO start\n2024-05-01T10:00:01Z WARN slow\n2024-05-01T10:00:02Z INFO done\n'],
  ['log', 'levels', '[INFO] start\n[ERROR] no\n  at x\n[INFO] end\n'],
  ['log', 'syslog', 'Dec 10 06:55:46 host sshd[1]: a\nDec 10 06:55:48 host sshd[1]: b\n'],
  ['code', 'TypeScript', "import { a } from 'b'\n\nexport function c(x: number): string {\n  return a(x)\n}\n"],
  [
    'code',
    'Python with comments',
    '# A comment\nimport os\nfrom x import y\n\ndef main():\n    return os.name\n\nclass A(object):\n    pass\n',
  ],
  ['code', 'SQL', 'CREATE TABLE a (id int);\nINSERT INTO a VALUES (1);\n'],
  ['code', 'a script', '#!/bin/sh\necho hello\n'],
  [
    'plain',
    'prose',
    'Once upon a time, there was a king, and he was old.\nHis daughter, who was young, went away.\nNobody, it seems, knew where she was.\n',
  ],
  ['plain', 'nothing', ''],
]

describe('detectFormat', () => {
  it.each(cases)('knows %s: %s', (format, _what, text) => {
    expect(detectFormat(text)).toBe(format)
  })

  it('believes a MIME type that names a format, but checks JSON', () => {
    expect(detectFormat('just words', 'text/markdown; charset=utf-8')).toBe('markdown')
    expect(detectFormat('a,b', 'text/csv')).toBe('csv')
    expect(detectFormat('{"a":', 'application/json')).toBe('plain')
    expect(detectFormat('{"a":1}', 'text/plain')).toBe('json')
  })

  it.skipIf(responses.length === 0)('knows real responses', () => {
    const formats = [
      'apache-access.log',
      'nginx-json.log',
      'northwind.sql',
      'mcp-schema.mdx',
      'earthquakes.geojson',
      'd3.min.js',
      'k8s-logs-fraud.txt',
    ]
    expect(formats.map((name) => detectFormat(response(name)))).toEqual([
      'log',
      'ndjson',
      'code',
      'markdown',
      'json',
      'code',
      'log',
    ])
  })
})
