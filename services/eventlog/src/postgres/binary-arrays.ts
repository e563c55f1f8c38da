/** Arrays as Postgres receives them in binary format: nothing is escaped, and the server parses no text. */
type Element<Value> = {
  /** OID of the element's type in `pg_type`. */
  oid: number;
  bytesOf(value: Value): number;
  write(buffer: Buffer, value: Value, at: number): void;
};

const headerBytes = 20;
const lengthBytes = 4;

function encodeArray<Value>(element: Element<Value>, values: readonly (Value | null)[]): Buffer {
  const sizes = values.map((value) => (value === null ? 0 : element.bytesOf(value)));
  const buffer = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + lengthBytes + size, headerBytes));
  const dimensions = 1;
  const hasNull = values.includes(null) ? 1 : 0;
  const firstIndex = 1;
  for (const [index, word] of [dimensions, hasNull, element.oid, values.length, firstIndex].entries())
    buffer.writeInt32BE(word, index * 4);
  let at = headerBytes;
  for (const [index, value] of values.entries()) {
    const size = sizes[index] ?? 0;
    buffer.writeInt32BE(value === null ? -1 : size, at);
    at += lengthBytes;
    if (value !== null) element.write(buffer, value, at);
    at += size;
  }
  return buffer;
}

const writeText = (buffer: Buffer, value: string, at: number) => void buffer.write(value, at);
const text: Element<string> = { oid: 25, bytesOf: (value) => Buffer.byteLength(value), write: writeText };
const json: Element<string> = { ...text, oid: 114 };
const smallint: Element<number> = {
  oid: 21,
  bytesOf: () => 2,
  write: (buffer, value, at) => void buffer.writeInt16BE(value, at),
};
const int: Element<number> = {
  oid: 23,
  bytesOf: () => 4,
  write: (buffer, value, at) => void buffer.writeInt32BE(value, at),
};
const bigint: Element<bigint> = {
  oid: 20,
  bytesOf: () => 8,
  write: (buffer, value, at) => void buffer.writeBigInt64BE(value, at),
};
const uuid: Element<string> = {
  oid: 2950,
  bytesOf: () => 16,
  write: (buffer, value, at) => void buffer.write(value.replaceAll('-', ''), at, 'hex'),
};

export const textArray = (values: readonly (string | null)[]) => encodeArray(text, values);
export const jsonArray = (values: readonly string[]) => encodeArray(json, values);
export const smallintArray = (values: readonly number[]) => encodeArray(smallint, values);
export const intArray = (values: readonly number[]) => encodeArray(int, values);
export const bigintArray = (values: readonly bigint[]) => encodeArray(bigint, values);
export const uuidArray = (values: readonly string[]) => encodeArray(uuid, values);
