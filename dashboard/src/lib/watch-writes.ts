import type { Network } from '@gatebook/js/core';

/** A successful write of this page. Its ID is that of the request. */
export type Write = { id: string; projectId: string };
export type WriteWatch = {
  network: Network;
  subscribe: (listener: (write: Write) => void) => () => void;
  /** Reports no writes until `work` has settled. */
  ignoreDuring: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/** Calls below these paths write no changes of a project, or have nothing to undo. */
const ignored =
  /\/api\/v1\/(auth|internal\/(previews|projects$|rebuilds|feedback|send-test-)|.*\/(preview|test|replay|resend)$)/;

/** Reports writes with the IDs that the server gave them. */
export function watchWrites(network: Network): WriteWatch {
  const listeners = new Set<(write: Write) => void>();
  let ignoring = 0;
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ignoreDuring: async (work) => {
      ignoring += 1;
      try {
        return await work();
      } finally {
        ignoring -= 1;
      }
    },
    network: {
      ...network,
      fetch: async (url, init) => {
        const response = await network.fetch(url, init);
        const id = response.headers.get('x-stack-request-id');
        const projectId = new Headers(init.headers).get('x-stack-project-id');
        const isWrite = init.method !== 'GET' && response.ok && !response.headers.has('x-stack-known-error');
        if (ignoring === 0 && isWrite && id !== null && projectId !== null && !ignored.test(url)) {
          for (const listener of listeners) listener({ id, projectId });
        }
        return response;
      },
    },
  };
}
