/** A value between `before` and `after`; nothing at all if it is no text, as after its erasure. */
export const shownText = (value: unknown, before = '', after = ''): string =>
  typeof value === 'string' && value !== '' ? `${before}${value}${after}` : '';
