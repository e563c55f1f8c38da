/** Axis ticks from 0 to at least `highest`: four equal, whole, round steps. */
export function evenTicks(highest: number): number[] {
  const minStep = Math.max(1, highest / 4);
  const size = 10 ** Math.floor(Math.log10(minStep));
  const factor =
    [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * size >= minStep && Number.isInteger(each * size)) ?? 10;
  return [0, 1, 2, 3, 4].map((count) => count * factor * size);
}
