/** The bytes of a file, which grow as they are written. */

export class Content {
  #bytes: Buffer;
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  /** A copy. */
  read(from = 0, to = this.#size): Buffer {
    return Buffer.from(this.#bytes.subarray(from, Math.min(to, this.#size)));
  }

  resize(size: number): void {
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    } else if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }

  write(offset: number, data: Buffer): void {
    if (offset + data.length > this.#size) this.resize(offset + data.length);
    data.copy(this.#bytes, offset);
  }
}
