/** A text's UTF-8 bytes in shared memory: posting them to a thread copies nothing. */
import { utf8Length } from '../base/utf8.js'

export function sharedText(text: string): Uint8Array<SharedArrayBuffer> {
  const shared = new SharedArrayBuffer(utf8Length(text))
  Buffer.from(shared).write(text, 'utf8')
  return new Uint8Array(shared)
}
