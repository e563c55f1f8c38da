/** Marks of an axis from 0 to at least `highest`: four equal steps of a size that is easily counted, whole numbers. */
export function evenTicks(highest: number): number[] {
  const wanted = Math.max(1, highest / 4);
  const size = 10 ** Math.floor(Math.log10(wanted));
  const factor =
    [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((one) => one * size >= wanted && Number.isInteger(one * size)) ?? 10;
  return [0, 1, 2, 3, 4].map((count) => count * factor * size);
}
