import { type Answer, createProject, type Send } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

/** Starts an API with a project whose server creates users with idempotency keys. Await it at the top of the file. */
export async function startIdempotencySuite(options: Parameters<typeof startSuite>[0] = {}) {
  const suite = await startSuite(options);
  const { send } = suite;
  const project = await createProject(send);
  let count = 0;
  return {
    ...suite,
    project,
    newKey: () => `key-${count++}`,
    write: (key: string, body: object = { display_name: 'Ann' }, call: Parameters<Send>[2] = {}, by = send) =>
      by('POST', '/users', {
        ...project,
        access: 'server',
        body,
        ...call,
        headers: { 'idempotency-key': key, ...call.headers },
      }),
    countUsers: async (): Promise<number> =>
      (await send('GET', '/users', { ...project, access: 'server' })).body.items.length,
  };
}

/** What a replayed response has in common with the first one. */
export function commonPartOf({ headers: { date, connection, ...headers }, status, text }: Answer) {
  const { 'x-stack-request-id': _id, 'idempotency-replayed': _replayed, ...kept } = headers;
  return { status, text, headers: kept };
}
