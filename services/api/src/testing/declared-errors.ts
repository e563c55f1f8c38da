import { plainErrors, plainText } from '@gatebook/contract/plain-errors';
import { commonErrors, rejectionsOf } from '../routes/route-errors.ts';
import { routeAccess } from '../routes/table.ts';

type Answered = { statusCode: number; body: string; headers: Readonly<Record<string, unknown>> };

const sentences = Object.entries(plainErrors).map(([code, rejection]) => {
  const text = plainText(rejection, { limit: '{}' }).replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  // What stands in a sentence made of facts is anything.
  const pattern = typeof rejection.text === 'string' ? text : text.replace('{}', '\\d+').replace('items', '.+');
  return { code, pattern: new RegExp(`^${rejection.status} ${pattern}$`) };
});
const codeOfSentence = (sentence: string) => sentences.find(({ pattern }) => pattern.test(sentence))?.code;
/** Those with the fewest parameters first, as fastify prefers them. */
const routes = Object.keys(routeAccess)
  .map((route) => ({ route, pattern: new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`) }))
  .sort((one, other) => one.route.split(':').length - other.route.split(':').length);

/** Keeps the description of the API honest. @throws Error when a call rejects what `routes/route-errors.ts` does not tell of it */
export function expectDeclared(method: string, url: string, { statusCode, body, headers }: Answered): void {
  if (statusCode < 400) return;
  const code = headers['x-stack-known-error'] ?? codeOfSentence(`${statusCode} ${body}`);
  const [path] = url.split('?', 1);
  const found = routes.find(({ pattern }) => pattern.test(`${method} ${path}`));
  if (code === undefined || !found) return;
  const declared: readonly string[] = [...commonErrors, ...rejectionsOf(found.route)];
  if (!declared.includes(String(code)))
    throw new Error(`${found.route} rejects ${code}: say so in routes/route-errors.ts`);
}
