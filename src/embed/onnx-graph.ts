/** Writes inference graphs as ONNX files (opset 13): the few parts of its protobuf schema that a graph needs. */

/** ONNX's numbers of element types. */
const ELEMENT = { float: 1, int8: 3, int64: 7 } as const

type Element = keyof typeof ELEMENT
type Elements = Float32Array | Int8Array | BigInt64Array

/** The name of a value in the graph. */
export type Value = string

export class OnnxGraph {
  readonly #nodes: Buffer[] = []
  readonly #constants = new Map<Value, Buffer>()
  readonly #inputs: Buffer[] = []
  readonly #outputs: Buffer[] = []

  /** @param shape names stand for sizes known only when the graph runs */
  input(name: string, element: Element, shape: readonly (number | string)[]): Value {
    this.#inputs.push(valueInfo(name, element, shape))
    return name
  }

  /** Gives `value` to the outside under `name`. */
  output(name: string, value: Value, shape: readonly (number | string)[]): void {
    this.#nodes.push(nodeProto({ op: 'Identity', inputs: [value], outputs: [name], name: `out_${name}`, attributes: {} }))
    this.#outputs.push(valueInfo(name, 'float', shape))
  }

  floats(name: string, shape: readonly number[], values: Float32Array | readonly number[]): Value {
    return this.#constant(name, shape, Float32Array.from(values))
  }

  integers(name: string, values: readonly number[], shape: readonly number[] = [values.length]): Value {
    return this.#constant(name, shape, BigInt64Array.from(values, BigInt))
  }

  bytes(name: string, shape: readonly number[], values: Int8Array): Value {
    return this.#constant(name, shape, values)
  }

  /** A node with one output. */
  node(op: string, inputs: readonly Value[], attributes: Attributes = {}): Value {
    return this.nodes(op, inputs, { count: 1, attributes })[0] ?? ''
  }

  /** A node with `count` outputs. */
  nodes(op: string, inputs: readonly Value[], { count, attributes = {} }: { count: number; attributes?: Attributes }): Value[] {
    const name = `${op}_${this.#nodes.length}`
    const outputs = Array.from({ length: count }, (_, n) => `${name}_${n}`)
    this.#nodes.push(nodeProto({ op, inputs, outputs, name, attributes }))
    return outputs
  }

  /** The file. */
  encode(): Buffer {
    const graph = Buffer.concat([
      ...this.#nodes.map((node) => field(1, node)),
      text(2, 'graph'),
      ...[...this.#constants.values()].map((tensor) => field(5, tensor)),
      ...this.#inputs.map((input) => field(11, input)),
      ...this.#outputs.map((output) => field(12, output)),
    ])
    const opset = Buffer.concat([text(1, ''), number(2, OPSET)])
    return Buffer.concat([number(1, IR_VERSION), text(2, 'sluice'), field(7, graph), field(8, opset)])
  }

  #constant(name: string, shape: readonly number[], values: Elements): Value {
    this.#constants.set(name, tensorProto(name, shape, values))
    return name
  }
}

/** Integers and lists of them. */
export type Attributes = Readonly<Record<string, number | readonly number[]>>

// --- internal ---

const OPSET = 13
const IR_VERSION = 7
const ATTRIBUTE_INT = 2
const ATTRIBUTE_INTS = 7

function tensorProto(name: string, shape: readonly number[], values: Elements): Buffer {
  const element = values instanceof Float32Array ? 'float' : values instanceof Int8Array ? 'int8' : 'int64'
  return Buffer.concat([
    ...shape.map((size) => number(1, size)),
    number(2, ELEMENT[element]),
    text(8, name),
    field(9, Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  ])
}

function nodeProto(node: {
  readonly op: string
  readonly inputs: readonly Value[]
  readonly outputs: readonly Value[]
  readonly name: string
  readonly attributes: Attributes
}): Buffer {
  return Buffer.concat([
    ...node.inputs.map((input) => text(1, input)),
    ...node.outputs.map((output) => text(2, output)),
    text(3, node.name),
    text(4, node.op),
    ...Object.entries(node.attributes).map(([name, value]) => field(5, attributeProto(name, value))),
  ])
}

function attributeProto(name: string, value: number | readonly number[]): Buffer {
  if (typeof value === 'number') return Buffer.concat([text(1, name), number(3, value), number(20, ATTRIBUTE_INT)])
  return Buffer.concat([text(1, name), ...value.map((item) => number(8, item)), number(20, ATTRIBUTE_INTS)])
}

function valueInfo(name: string, element: Element, shape: readonly (number | string)[]): Buffer {
  const sizes = shape.map((size) => field(1, typeof size === 'string' ? text(2, size) : number(1, size)))
  const tensor = Buffer.concat([number(1, ELEMENT[element]), field(2, Buffer.concat(sizes))])
  return Buffer.concat([text(1, name), field(2, field(1, tensor))])
}

function field(tag: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(tag * 8 + 2), varint(bytes.length), bytes])
}

function text(tag: number, value: string): Buffer {
  return field(tag, Buffer.from(value))
}

function number(tag: number, value: number): Buffer {
  return Buffer.concat([varint(tag * 8), varint(value)])
}

/** Negative numbers take ten bytes, as protobuf has them. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}
