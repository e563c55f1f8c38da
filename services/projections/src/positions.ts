export const largest = (positions: readonly bigint[]): bigint =>
  positions.reduce((one, other) => (one > other ? one : other));

export const least = (positions: readonly bigint[]): bigint =>
  positions.reduce((one, other) => (one < other ? one : other));
