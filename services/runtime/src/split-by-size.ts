/** Splits items in order so that no part exceeds `maxSize`, except a part of one item. */
export function splitBySize<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  maxSize: number,
): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let filled = 0;
  for (const item of items) {
    const size = sizeOf(item);
    const part = parts.at(-1);
    if (part && filled + size <= maxSize) {
      part.push(item);
      filled += size;
    } else {
      parts.push([item]);
      filled = size;
    }
  }
  return parts;
}
