import { systemPermissions } from '@gatebook/domain/permission/definition';
import { AnswerError, ConnectionError, KnownError } from '@gatebook/js/errors';
import { expect, test } from 'vitest';
import { errorText } from './error-text.ts';
import { formatCount, formatRelativeTime, formatUtcDay } from './format.ts';
import { emailFault, newPasswordFault } from './library-texts.ts';
import { describePermission } from './permission-description.ts';

const now = new Date('2026-03-10T12:00:00Z');
const ago = (seconds: number) => formatRelativeTime(new Date(now.getTime() - seconds * 1000), now);

test('times are formatted relative to now', () => {
  expect([0, 59, 60, 3_599, 3_600, 86_400, 172_800, 31_536_000].map(ago)).toEqual([
    'just now',
    'just now',
    '1 minute ago',
    '59 minutes ago',
    '1 hour ago',
    'yesterday',
    '2 days ago',
    'last year',
  ]);
  expect(ago(-30)).toBe('in a moment');
  expect(ago(-7_200)).toBe('in 2 hours');
});

test('numbers and UTC days are formatted', () => {
  expect(formatCount(1_234_567n)).toBe('1,234,567');
  expect(formatUtcDay('2026-03-01')).toBe('Mar 1');
});

test('email addresses are validated', () => {
  for (const good of ['ann@example.com', ' a.b+c@x.y.co ']) expect(emailFault(good)).toBeNull();
  for (const bad of [
    '',
    'ann',
    'ann@localhost',
    '.a@x.com',
    'a..b@x.com',
    'a.@x.com',
    'a@x.c',
    'a@b@x.com',
    'a b@x.com',
  ]) {
    expect(emailFault(bad), bad).not.toBeNull();
  }
});

test('the length of new passwords is validated', () => {
  expect([7, 8, 70, 71].map((length) => newPasswordFault('x'.repeat(length)) === null)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('errors have readable messages', () => {
  expect(errorText(new ConnectionError(true, {}, null))).toContain('offline');
  expect(errorText(new AnswerError('u', 503, ''))).toContain('busy');
  expect(errorText(new AnswerError('u', 404, 'Session not found.'))).toBe('Session not found.');
  expect(errorText(new AnswerError('u', 500, 'stack', 'req1'))).toContain('req1');
  expect(errorText(new AnswerError('u', 500, 'stack'))).not.toContain('stack');
  expect(errorText(new KnownError('ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN', 401, 'x'))).toContain('not a member');
  expect(errorText(undefined)).toBe('Something went wrong.');
});

test('system permissions are described as the API does', () => {
  for (const { id, description } of systemPermissions) {
    expect(describePermission({ id, description: '' }), id).toBe(description);
  }
});
