/** Part of all personal data in this test, and of nothing else. */
export const canary = 'Zq7Canary';

/** The canary as text, in hexadecimal (as Postgres prints bytes), and in base64 at each alignment. */
export const needles = [canary, canary.toLowerCase()].flatMap((text) => [
  text.toLowerCase(),
  Buffer.from(text).toString('hex'),
  ...[0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${text}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : shift + 1, -4)
      .toLowerCase(),
  ),
]);
export const hasCanary = (text: string) => {
  const lower = text.toLowerCase();
  return needles.some((needle) => lower.includes(needle));
};
