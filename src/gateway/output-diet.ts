/** Makes results smaller as their server's entry asks, on their way to the index or the client. */
import type { ComputePool } from '../actor/compute-pool.js'
import type { Logger } from '../base/logger.js'
import { asBuffer, idSpanOf, LARGE_FRAME, ownBuffer } from '../protocol/frame.js'
import type { Span } from '../protocol/json-spans.js'
import type { ResultDiet } from '../protocol/result-diet.js'
import { slimText } from '../text/result/slim-text.js'

export interface RawAnswer {
  readonly frame: Uint8Array
  readonly idSpan: Span
}

export class OutputDiet {
  readonly #compute: Pick<ComputePool, 'run'>
  readonly #logger: Logger
  #warned = false

  constructor(compute: Pick<ComputePool, 'run'>, logger: Logger) {
    this.#compute = compute
    this.#logger = logger
  }

  /**
   * Small text is worked on at once; large frames and images in the compute pool.
   * @param cuts whether long text is cut here: without an index that does it when it has the whole
   */
  apply(answer: RawAnswer, { minify, maxChars, images }: ResultDiet, cuts: boolean): RawAnswer | Promise<RawAnswer> {
    const { frame } = answer
    const limit = cuts && maxChars !== undefined && frame.length > maxChars ? maxChars : undefined
    const pictures = images && asBuffer(frame).includes(IMAGE) ? images : undefined
    if (!minify && limit === undefined && !pictures) return answer
    const diet: ResultDiet = { minify, maxChars: limit, images: pictures }
    if (pictures || frame.length > LARGE_FRAME) return this.#inPool(answer, diet)
    const slim = slimText(frame, diet)
    return slim === frame ? answer : { frame: slim, idSpan: idSpanOf(slim) ?? answer.idSpan }
  }

  // --- internal ---

  async #inPool({ frame, idSpan }: RawAnswer, diet: ResultDiet): Promise<RawAnswer> {
    const own = ownBuffer(frame)
    const slim = await this.#compute.run('slimResult', { frame: own, diet }, { transfer: [own.buffer] })
    if (slim.lacksSharp) this.#warnOnce()
    return { frame: slim.frame, idSpan: slim.idSpan ?? idSpan }
  }

  #warnOnce(): void {
    if (this.#warned) return
    this.#warned = true
    this.#logger.warn('images pass as they are', { reason: 'the optional package sharp is not installed: npm install sharp' })
  }
}

// --- internal ---

/** Stands in the type of an image block and in the mimeType of an embedded one. */
const IMAGE = Buffer.from('image')
