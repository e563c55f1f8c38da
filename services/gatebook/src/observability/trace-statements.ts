import type { SpanAttributes } from '@gatebook/runtime/instruments';
import pg from 'pg';

/** Called when the statement has ended. */
type End = (error?: unknown) => void;

type Options = {
  /** Null: the statement is not traced. */
  begin(attributes: () => SpanAttributes): End | null;
  /** Makes a callback run in the current span. */
  bind<Callback>(callback: Callback): Callback;
};

/**
 * Reports every statement of this process to `begin`. Replaces methods of `pg`, so that statements of libraries are
 * included and a process without traces has no cost.
 */
export function traceStatements({ begin, bind }: Options): void {
  const { query } = pg.Client.prototype;
  const { connect } = pg.Pool.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config] = args;
    const end = begin(() => attributesOf(config));
    if (!end) return Reflect.apply(query, this, args);
    const callback = args.at(-1);
    if (typeof callback !== 'function') {
      const result: unknown = Reflect.apply(query, this, args);
      if (result instanceof Promise) result.then(() => end(), end);
      else end();
      return result;
    }
    const report = (error: unknown, ...results: unknown[]) => {
      end(error);
      callback(error, ...results);
    };
    return Reflect.apply(query, this, [...args.slice(0, -1), report]);
  } as typeof query;
  // A pool calls back in the span of the caller that released the connection.
  pg.Pool.prototype.connect = function (this: pg.Pool, ...args: unknown[]) {
    return Reflect.apply(connect, this, args.map(bind));
  } as typeof connect;
}

const maxTextLength = 1_000;

/** The text without its literals. Values are parameters, and parameters are never recorded. */
function attributesOf(config: unknown): SpanAttributes {
  const { text = '', name } =
    typeof config === 'string' ? { text: config } : (config as { text?: string; name?: string });
  const cleaned = text
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/(?<![$\w])\d+(?:\.\d+)?/g, '?')
    .replace(/\s+/g, ' ')
    .trim();
  return {
    'db.system.name': 'postgresql',
    'db.operation.name': /^\w*/.exec(cleaned)?.[0].toUpperCase() ?? '',
    'db.query.text': cleaned.slice(0, maxTextLength),
    ...(name !== undefined && { 'db.query.summary': name }),
  };
}
