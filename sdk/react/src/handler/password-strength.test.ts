import { expect, test } from 'vitest';
import { passwordStrength } from './password-strength.ts';

test.each([
  ['', 0],
  ['password', 1],
  ['Password1', 1],
  ['12345678901234567890', 1],
  ['aaaaaaaaaaaaaaaaaaaa', 1],
  ['abcdefghijklmnop', 1],
  ['qwertyuiop', 1],
  ['k4w9xq2', 2],
  ['k4w9xq2mzt7', 3],
  ['k4W9!xq2mzt7', 4],
  ['correct horse battery staple', 4],
])('the password “%s” has the strength %i', (password, strength) => {
  expect(passwordStrength(password)).toBe(strength);
});

test('words about the user make a password weak', () => {
  expect(passwordStrength('ann.smith@example.com')).toBeGreaterThan(2);
  expect(passwordStrength('ann.smith@example.com', ['Ann.Smith@example.com'])).toBe(1);
  expect(passwordStrength('ann.smith1', ['ann.smith@example.com'])).toBe(1);
});
