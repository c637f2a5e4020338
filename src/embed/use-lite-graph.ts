/** The graph of Universal Sentence Encoder lite (a two-layer transformer over word pieces), made from its TensorFlow.js weights. */
import { OnnxGraph, type Value } from './onnx-graph.js'

/** A weight by its TensorFlow name. */
export interface Weight {
  readonly shape: readonly number[]
  readonly values: Float32Array | Int32Array
}

export type Weights = ReadonlyMap<string, Weight>

/** Tokens of a text beyond this are cut off by the model itself. */
export const USE_LITE_TOKENS = 128
export const USE_LITE_DIMENSIONS = 512

/** The ONNX file: `input_ids` and `attention_mask` in, the sentence's vector out, once for each token. Matrices are 8-bit, by column. */
export function useLiteGraph(weights: Weights): Buffer {
  return new UseLite(weights).build()
}

// --- internal ---

const ENCODER = 'module_apply_default/Encoder_en/KonaTransformer/Encode/'
const STACK = `${ENCODER}TransformerStack/`
const EMBEDDED = 256
const WIDTH = USE_LITE_DIMENSIONS
const INNER = 1536
const POSITIONS = 512
const HEADS = `${STACK}Layer_1/TransformerLayer/MultiheadAttention/split_heads/split_last_dimension/Reshape/shape/2`
const EPSILON = `${STACK}Layer_1/TransformerLayer/FFN/layer_prepostprocess/layer_norm/Cast/x`
const FREQUENCIES = `${STACK}Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`
const POOLED = 'module/Encoder_en/hidden_layers/tanh_layer_0/'

class UseLite {
  readonly #graph = new OnnxGraph()
  readonly #weights: Weights
  /** The 8-bit form of a value, made once: value, scale, zero point. */
  readonly #bytesOf = new Map<Value, Value[]>()

  constructor(weights: Weights) {
    this.#weights = weights
  }

  build(): Buffer {
    const graph = this.#graph
    const ids = graph.input('input_ids', 'int64', ['batch', 'sequence'])
    const given = graph.input('attention_mask', 'int64', ['batch', 'sequence'])
    const zero = graph.integers('zero', [0], [])
    const seen = graph.node('And', [graph.node('Greater', [ids, zero]), graph.node('Greater', [given, zero])])
    const mask = graph.node('Cast', [seen], { to: 1 })
    const columns = graph.node('Unsqueeze', [mask, graph.integers('axis2', [2])])
    const hidden = graph.node('Sub', [graph.floats('one', [], [1]), mask])
    const bias = graph.node('Mul', [
      graph.node('Unsqueeze', [hidden, graph.integers('axes12', [1, 2])]),
      graph.floats('never', [], [-1e9]),
    ])
    let state = graph.node('Mul', [this.#tokens(ids), columns])
    for (const layer of [0, 1]) state = this.#layer(layer, state, bias)
    const sentence = this.#pooled(graph.node('Mul', [state, columns]), mask)
    const shape = graph.node('Concat', [graph.node('Shape', [ids]), graph.integers('width', [WIDTH])], { axis: 0 })
    const repeated = graph.node('Expand', [graph.node('Unsqueeze', [sentence, graph.integers('axis1', [1])]), shape])
    graph.output('last_hidden_state', repeated, ['batch', 'sequence', WIDTH])
    return graph.encode()
  }

  /** Twice the embedding (the model adds the signal to it, and then the embedding again) and where each token stands. */
  #tokens(ids: Value): Value {
    const graph = this.#graph
    const { shape, values } = this.#weight('module/Embeddings_en')
    const { bytes, scales } = quantized(values, [values.length, 1])
    const table = graph.bytes('embeddings', shape, bytes)
    const zeroPoint = graph.bytes('embeddings_zero', [], Int8Array.of(0))
    const scale = graph.floats('embeddings_scale', [], [(scales[0] ?? 0) * 2])
    const tokens = graph.node('DequantizeLinear', [graph.node('Gather', [table, ids]), scale, zeroPoint])
    const length = graph.node('Gather', [graph.node('Shape', [ids]), graph.integers('sequence_axis', [1])])
    const signal = graph.floats('positions', [1, POSITIONS, EMBEDDED], positions(this.#weight(FREQUENCIES).values))
    const bounds = [graph.integers('from', [0]), length, graph.integers('along', [1])]
    return graph.node('Add', [tokens, graph.node('Slice', [signal, ...bounds])])
  }

  #layer(layer: number, state: Value, bias: Value): Value {
    const graph = this.#graph
    const own = `${ENCODER}Layer_${layer}/TransformerLayer/`
    const shared = `${STACK}Layer_${layer}/TransformerLayer/`
    const width = layer === 0 ? EMBEDDED : WIDTH
    const attended = this.#attention(layer, this.#normalized(state, `${own}layer_prepostprocess/layer_norm/`), bias)
    const wide = layer === 0 ? this.#linear(state, `${own}dense/kernel/${JOINED}`, `${own}dense/bias/${JOINED}`, width) : state
    const between = graph.node('Add', [attended, wide])
    const normal = this.#normalized(between, `${own}FFN/layer_prepostprocess/layer_norm/`)
    const inner = this.#linear(normal, `${shared}FFN/conv1/Tensordot/Reshape_1`, `${own}FFN/conv1/bias/${JOINED}`, WIDTH)
    const kernel = `${shared}FFN/conv2/Tensordot/Reshape_1`
    return graph.node('Add', [
      this.#linear(graph.node('Relu', [inner]), kernel, `${own}FFN/conv2/bias/${JOINED}`, INNER),
      between,
    ])
  }

  #attention(layer: number, state: Value, bias: Value): Value {
    const graph = this.#graph
    const kernels = `module/Encoder_en/KonaTransformer/Encode/Layer_${layer}/TransformerLayer/MultiheadAttention/`
    const own = `${ENCODER}Layer_${layer}/TransformerLayer/MultiheadAttention/`
    const width = layer === 0 ? EMBEDDED : WIDTH
    const heads = this.#weight(HEADS).values[0] ?? 1
    const name = `attention_${layer}`
    const kernel = `${kernels}qkv_transform_single/kernel/part_0`
    const joint = this.#linear(state, kernel, `${own}qkv_transform_single/bias/${JOINED}`, width)
    const sizes = graph.integers(`${name}_sizes`, [width, width, width])
    const [queries = '', keys = '', values = ''] = graph.nodes('Split', [joint, sizes], { count: 3, attributes: { axis: 2 } })
    const split = graph.integers(`${name}_heads`, [0, 0, heads, width / heads])
    const byHead = (value: Value, perm: readonly number[]) =>
      graph.node('Transpose', [graph.node('Reshape', [value, split])], { perm })
    const scale = this.#weight(`${STACK}Layer_${layer}/TransformerLayer/MultiheadAttention/mul/y`).values[0] ?? 1
    const scaled = graph.node('Mul', [byHead(queries, [0, 2, 1, 3]), graph.floats(`${name}_scale`, [], [scale])])
    const scores = graph.node('Add', [graph.node('MatMul', [scaled, byHead(keys, [0, 2, 3, 1])]), bias])
    const shares = graph.node('Softmax', [scores], { axis: 3 })
    const mixed = graph.node('Transpose', [graph.node('MatMul', [shares, byHead(values, [0, 2, 1, 3])])], {
      perm: [0, 2, 1, 3],
    })
    const merged = graph.node('Reshape', [mixed, graph.integers(`${name}_merged`, [0, 0, width])])
    const last = `${kernels}output_transform_single/kernel/part_0`
    return this.#linear(merged, last, `${own}output_transform_single/bias/${JOINED}`, width)
  }

  /** The mean of the tokens through the last layer. */
  #pooled(tokens: Value, mask: Value): Value {
    const graph = this.#graph
    const along = graph.integers('axis_tokens', [1])
    const count = graph.node('Max', [graph.node('ReduceSum', [mask, along], { keepdims: 1 }), graph.floats('least', [], [1])])
    const mean = graph.node('Div', [graph.node('ReduceSum', [tokens, along], { keepdims: 0 }), count])
    const last = graph.node('MatMul', [mean, graph.floats('last', [WIDTH, WIDTH], this.#floats(`${POOLED}weights`))])
    return graph.node('Tanh', [graph.node('Add', [last, graph.floats('last_bias', [WIDTH], this.#floats(`${POOLED}bias`))])])
  }

  #normalized(state: Value, name: string): Value {
    const graph = this.#graph
    const mean = graph.node('ReduceMean', [state], { axes: [-1] })
    const rest = graph.node('Sub', [state, mean])
    const variance = graph.node('ReduceMean', [graph.node('Mul', [rest, rest])], { axes: [-1] })
    const epsilon = graph.floats('epsilon', [], this.#floats(EPSILON))
    const deviation = graph.node('Sqrt', [graph.node('Add', [variance, epsilon])])
    const factor = this.#floats(`${name}layer_norm_scale/${JOINED}`)
    const offset = this.#floats(`${name}layer_norm_bias/${JOINED}`)
    const scaled = graph.node('Mul', [
      graph.node('Div', [rest, deviation]),
      graph.floats(`${name}scale`, [factor.length], factor),
    ])
    return graph.node('Add', [scaled, graph.floats(`${name}offset`, [offset.length], offset)])
  }

  /** `state` × kernel + bias; the kernel has `rows` rows. */
  #linear(state: Value, kernel: string, bias: string, rows: number): Value {
    const graph = this.#graph
    const values = this.#floats(kernel)
    const columns = values.length / rows
    const { bytes, scales } = quantized(values, [rows, columns])
    const [input = '', inputScale = '', inputZero = ''] = this.#quantizedInput(state)
    const product = graph.node('MatMulInteger', [input, graph.bytes(kernel, [rows, columns], bytes), inputZero])
    const scale = graph.node('Mul', [inputScale, graph.floats(`${kernel}_scales`, [columns], scales)])
    const scaled = graph.node('Mul', [graph.node('Cast', [product], { to: 1 }), scale])
    return graph.node('Add', [scaled, graph.floats(bias, [columns], this.#floats(bias))])
  }

  #quantizedInput(state: Value): Value[] {
    const known = this.#bytesOf.get(state) ?? this.#graph.nodes('DynamicQuantizeLinear', [state], { count: 3 })
    this.#bytesOf.set(state, known)
    return known
  }

  #floats(name: string): Float32Array {
    return Float32Array.from(this.#weight(name).values)
  }

  #weight(name: string): Weight {
    const weight = this.#weights.get(name)
    if (!weight) throw new TypeError(`the model has no weight "${name}"`)
    return weight
  }
}

const JOINED = 'ConcatPartitions/concat'

/** 8-bit values with one scale for each column: `bytes × scale ≈ values`. */
function quantized(values: Float32Array | Int32Array, [rows, columns]: readonly [number, number]) {
  const bytes = new Int8Array(rows * columns)
  const scales = new Float32Array(columns)
  for (let at = 0; at < values.length; at++) {
    const column = at % columns
    scales[column] = Math.max(scales[column] ?? 0, Math.abs(values[at] ?? 0) / 127)
  }
  for (let at = 0; at < values.length; at++) bytes[at] = Math.round((values[at] ?? 0) / (scales[at % columns] || 1))
  return { bytes, scales }
}

/** Sines, then cosines, of the position times each frequency. */
function positions(frequencies: Float32Array | Int32Array): Float32Array {
  const table = new Float32Array(POSITIONS * EMBEDDED)
  for (let position = 0; position < POSITIONS; position++) {
    frequencies.forEach((frequency: number, n: number) => {
      table[position * EMBEDDED + n] = Math.sin(position * frequency)
      table[position * EMBEDDED + EMBEDDED / 2 + n] = Math.cos(position * frequency)
    })
  }
  return table
}
