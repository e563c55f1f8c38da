import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Fields that never reach a log, at the top of a record or one level down. */
const secretFields = [
  'authorization',
  'cookie',
  'email',
  'headers',
  'ip',
  'key',
  'password',
  'passwordHash',
  'refreshToken',
  'accessToken',
  'secret',
  'token',
];

/** JSON lines on standard error (or `destination`), so that standard output stays for people. */
export function createLogger({ level }: { level: string }, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
    },
    destination ?? pino.destination(2),
  );
}
