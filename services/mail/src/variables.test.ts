import { EmailType } from '@gatebook/domain/email/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defuseName, maskSecrets, sampleVariables, sanitizeVariables } from './variables.ts';

describe('names that users choose', () => {
  // What mail programs turn into links: schemes, domains, addresses.
  const linkified = /\S:\S|www\.\S|\S[@＠]\S|\S[.．。｡․﹒]\S|\\\\\\\\|\/\//u;

  test('cannot become links, addresses or bidirectional text', () => {
    const bits = fc.constantFrom(
      'https://',
      'evil',
      '.',
      'com',
      '@',
      'www.',
      '\u202e',
      '\u200b',
      '\r\n',
      'a',
      '。',
      '/',
      '\\\\',
      ':',
      '\u200d',
      '＠',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(bits).map((all) => all.join('')),
        ),
        (name) => {
          const safe = defuseName(name);
          expect(safe.replaceAll('\u2060', ' ')).not.toMatch(linkified);
          expect(safe).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
          expect([...safe.replaceAll('\u2060', '')].length).toBeLessThanOrEqual(80);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('are unchanged when they are ordinary names', () => {
    const names = [
      'Ann',
      'José Ñandú',
      '山田 太郎',
      'O’Neill-Smith',
      'Team 42 (北京)',
      'Dr. Smith',
      'Acme Inc.',
      'R & D: Mail',
    ];
    const joined = ['می‌خواهم', '👩‍👩‍👧 & co', '@ann', 'and/or'];
    for (const name of [...names, ...joined]) expect(defuseName(name)).toBe(name);
  });

  test.each([
    ['evil.com', 'evil\u2060.\u2060com'],
    ['a@b.c', 'a\u2060@\u2060b\u2060.\u2060c'],
    ['https://x', 'https\u2060:\u2060\u2060/\u2060/x'],
    ['\u202eevil\u200b\u200d x\r\n\ty', 'evil\u200d x y'],
    ['\u200d', ''],
    ['x'.repeat(100), `${'x'.repeat(79)}…`],
  ])('are defused: %j becomes %j', (name, safe) => expect(defuseName(name)).toBe(safe));

  test('are the only variables that are sanitized', () => {
    const link = 'https://shop.example/handler?code=1';
    expect(sanitizeVariables({ teamDisplayName: 'a.b', teamInvitationLink: link })).toEqual({
      teamDisplayName: 'a\u2060.\u2060b',
      teamInvitationLink: link,
    });
  });
});

test.each(EmailType.options)('the stored variables of %s contain no links, codes or data of others', (type) => {
  const masked = maskSecrets(sampleVariables(type));
  for (const [name, value] of Object.entries(masked)) {
    if (/Link$|^otp$|^team|^keyDescription$|^ipAddress$|^webhookHost$/.test(name)) expect(value).toBe('***');
    else expect(value).toBe(sampleVariables(type)[name]);
  }
});
