/** What a page or batch of events may take, unless a single event takes more. */
export const maxPageBytes = 8_388_608;

/** Splits items in order so that no part exceeds `maxBytes`, except a part of one item. */
export function splitByBytes<T>(
  items: readonly T[],
  bytesOf: (item: T) => number,
  maxBytes: number,
): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const part = parts.at(-1);
    if (part && bytes + size <= maxBytes) {
      part.push(item);
      bytes += size;
    } else {
      parts.push([item]);
      bytes = size;
    }
  }
  return parts;
}
