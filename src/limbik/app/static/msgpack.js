/** A reader of MessagePack: the types that the server sends (maps, arrays, text, binary, numbers, null, booleans). */

const text = new TextDecoder();

/** @param {ArrayBuffer} buffer @returns {*} the one value in the buffer; binary values as Uint8Array */
export function unpack(buffer) {
  return new Reader(buffer).value();
}

class Reader {
  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
    this.at = 0;
  }

  /** @returns {*} */
  value() {
    const tag = this.bytes[this.at++];
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.map(tag & 0x0f);
    if (tag < 0xa0) return this.array(tag & 0x0f);
    if (tag < 0xc0) return this.string(tag & 0x1f);
    if (tag >= 0xe0) return tag - 0x100;
    return this.tagged(tag);
  }

  /** @param {number} tag @returns {*} */
  tagged(tag) {
    switch (tag) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return this.binary(this.unsigned(1));
      case 0xc5: return this.binary(this.unsigned(2));
      case 0xc6: return this.binary(this.unsigned(4));
      case 0xca: return this.view.getFloat32(this.skip(4));
      case 0xcb: return this.view.getFloat64(this.skip(8));
      case 0xcc: return this.unsigned(1);
      case 0xcd: return this.unsigned(2);
      case 0xce: return this.unsigned(4);
      case 0xcf: return Number(this.view.getBigUint64(this.skip(8)));
      case 0xd0: return this.view.getInt8(this.skip(1));
      case 0xd1: return this.view.getInt16(this.skip(2));
      case 0xd2: return this.view.getInt32(this.skip(4));
      case 0xd3: return Number(this.view.getBigInt64(this.skip(8)));
      case 0xd9: return this.string(this.unsigned(1));
      case 0xda: return this.string(this.unsigned(2));
      case 0xdb: return this.string(this.unsigned(4));
      case 0xdc: return this.array(this.unsigned(2));
      case 0xdd: return this.array(this.unsigned(4));
      case 0xde: return this.map(this.unsigned(2));
      case 0xdf: return this.map(this.unsigned(4));
      default: throw new Error(`MessagePack: unknown tag 0x${tag.toString(16)}`);
    }
  }

  /** Move on by `size` bytes; returns where they began. @param {number} size */
  skip(size) {
    const from = this.at;
    this.at += size;
    return from;
  }

  /** @param {1|2|4} size */
  unsigned(size) {
    const from = this.skip(size);
    if (size === 1) return this.view.getUint8(from);
    return size === 2 ? this.view.getUint16(from) : this.view.getUint32(from);
  }

  /** @param {number} size */
  binary(size) {
    const from = this.skip(size);
    return this.bytes.slice(from, this.at);
  }

  /** @param {number} size */
  string(size) {
    const from = this.skip(size);
    return text.decode(this.bytes.subarray(from, this.at));
  }

  /** @param {number} size @returns {*[]} */
  array(size) {
    return Array.from({ length: size }, () => this.value());
  }

  /** @param {number} size */
  map(size) {
    /** @type {Record<string, *>} */
    const result = {};
    for (let i = 0; i < size; i += 1) {
      const key = this.value();
      result[key] = this.value();
    }
    return result;
  }
}
