import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(createLogger({ level: 'info' }, { write: (line) => void lines.push(line) }));
  return lines.join('');
}

test('IDs are logged, secrets and addresses are not', () => {
  const line = logged((logger) =>
    logger.info({ userId: 'u1', email: 'ann@example.com', session: { refreshToken: 'swordfish' } }, 'user signed in'),
  );
  expect(line).toContain('"userId":"u1"');
  expect(line).not.toContain('ann@example.com');
  expect(line).not.toContain('swordfish');
});

test('a line break in a value does not start a new log record', () => {
  expect(logged((logger) => logger.info({ path: 'a\n{"level":60}' }, 'x')).trimEnd()).not.toContain('\n');
});
