import { z } from 'zod';
import type { Caller } from '../../caller.ts';
import { defineRoute, textResponse } from '../../http/define-route.ts';

/** Also a way to test keys (protocol, conventions §1). */
export const greetingRoute = defineRoute({
  method: 'GET',
  path: '',
  access: 'anyone',
  tags: ['Health'],
  summary: 'Identify the caller',
  description: 'Returns text with the access type, project and user of the request. Useful to test keys.',
  query: z.strictObject({}),
  response: { 200: textResponse },
  handle: async ({ deps, caller, reply }) =>
    reply.type('text/plain; charset=utf-8').send(`Welcome to Gatebook ${deps.version}.\n\n${introduction(caller)}`),
});

function introduction(caller: Caller | null): string {
  if (!caller) return 'Authentication: none\n';
  const { accessType, projectId, user } = caller;
  return `Authentication: ${accessType}\n  Project: ${projectId}\n  User: ${user?.primaryEmail ?? user?.id ?? 'none'}\n`;
}
