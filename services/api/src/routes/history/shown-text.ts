/** A value between `before` and `after`; empty if it is not a text, as after its erasure. */
export const shownText = (value: unknown, before = '', after = ''): string =>
  typeof value === 'string' && value !== '' ? `${before}${value}${after}` : '';
