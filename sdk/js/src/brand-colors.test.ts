import { expect, test } from 'vitest';
import { brandColors } from './brand-colors.ts';

test('texts on the accent color are black or white, and links are readable on both grounds', () => {
  expect(brandColors('#1c7a60')).toMatchObject({ onAccent: '#ffffff' });
  expect(brandColors('#ffdd00')).toMatchObject({ onAccent: '#000000', darkLink: '#ffdd00' });
  expect(brandColors('#ffdd00').lightLink).not.toBe('#ffdd00');
  expect(brandColors('#000000')).toMatchObject({ lightLink: '#000000' });
  expect(brandColors('#000000').darkLink).not.toBe('#000000');
});
