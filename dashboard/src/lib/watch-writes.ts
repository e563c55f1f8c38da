import type { Network } from '@gatebook/js/core';

/** A successful write of this page. Its ID is that of the request. */
export type Write = { id: string; projectId: string };
export type WriteWatch = { network: Network; subscribe: (listener: (write: Write) => void) => () => void };

/** Calls below these paths write no changes of a project, or have nothing to undo. */
const ignored = /\/api\/v1\/(auth|internal\/previews|internal\/projects$|internal\/rebuilds|internal\/feedback)/;

/** Reports writes with the IDs that the server gave them. */
export function watchWrites(network: Network): WriteWatch {
  const listeners = new Set<(write: Write) => void>();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    network: {
      ...network,
      fetch: async (url, init) => {
        const response = await network.fetch(url, init);
        const id = response.headers.get('x-stack-request-id');
        const projectId = new Headers(init.headers).get('x-stack-project-id');
        const isWrite = init.method !== 'GET' && response.ok && !response.headers.has('x-stack-known-error');
        if (isWrite && id !== null && projectId !== null && !ignored.test(url)) {
          for (const listener of listeners) listener({ id, projectId });
        }
        return response;
      },
    },
  };
}
