import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Fields that are removed from log records, at the top level and one level below. */
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

type LoggerOptions = {
  level: string;
  /** Fields of each line that depend on where it is logged. */
  fields?: () => object;
};

/** Writes JSON lines to standard error (or `destination`), because standard output is for people. */
export function createLogger({ level, fields }: LoggerOptions, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      ...(fields && { mixin: fields }),
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
    },
    destination ?? pino.destination(2),
  );
}
