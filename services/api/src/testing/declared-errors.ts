import { plainErrors, plainText } from '@gatebook/contract/plain-errors';
import { commonErrors, errorsOf } from '../http/declared-errors.ts';
import { nameOf } from '../http/define-route.ts';
import { routes } from '../routes/all.ts';

type Answered = { statusCode: number; body: string; headers: Readonly<Record<string, unknown>> };

const sentences = Object.entries(plainErrors).map(([code, rejection]) => {
  const text = plainText(rejection, { limit: '{}' }).replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  // What stands in a sentence made of facts is anything.
  const pattern = typeof rejection.text === 'string' ? text : text.replace('{}', '\\d+').replace('items', '.+');
  return { code, pattern: new RegExp(`^${rejection.status} ${pattern}$`) };
});
const codeOfSentence = (sentence: string) => sentences.find(({ pattern }) => pattern.test(sentence))?.code;
/** Routes with the fewest parameters first, as Fastify prefers them. */
const matchers = routes
  .map((route) => ({ route, name: nameOf(route), pattern: new RegExp(`^${nameOf(route).replace(/:\w+/g, '[^/]+')}$`) }))
  .sort((one, other) => one.name.split(':').length - other.name.split(':').length);

/** Keeps the API description honest. @throws Error when a route returns an error that it does not declare */
export function expectDeclared(method: string, url: string, { statusCode, body, headers }: Answered): void {
  if (statusCode < 400) return;
  const code = headers['x-stack-known-error'] ?? codeOfSentence(`${statusCode} ${body}`);
  const [path] = url.split('?', 1);
  const found = matchers.find(({ pattern }) => pattern.test(`${method} ${path}`));
  if (code === undefined || !found) return;
  const declared: readonly string[] = [...commonErrors, ...errorsOf(found.route)];
  if (!declared.includes(String(code))) throw new Error(`${found.name} returned ${code}: add it to its errors`);
}
