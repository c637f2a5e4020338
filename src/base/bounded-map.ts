/** A Map that forgets its oldest entry when it grows over its limit. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly limit: number

  constructor(limit: number) {
    super()
    this.limit = limit
  }

  override set(key: K, value: V): this {
    super.delete(key)
    super.set(key, value)
    if (this.size > this.limit) {
      const oldest = this.keys().next()
      if (!oldest.done) this.delete(oldest.value)
    }
    return this
  }
}
