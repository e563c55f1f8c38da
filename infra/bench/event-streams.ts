import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { historyKeys, historyProject } from './history-log.ts';
import type { Origin } from './load.ts';

export const serverHeaders = {
  'x-stack-access-type': 'server',
  'x-stack-project-id': historyProject,
  'x-stack-secret-server-key': historyKeys.server,
};

export type StreamedEvent = { id: string; type: string; data: { id?: string; display_name?: string | null } };
export type EventStream = { close(): void };

/** Opens the live stream of public events. Resolves when it has begun. @throws Error if it is rejected */
export async function openEventStream(
  origin: Origin,
  query: string,
  onEvent: (event: StreamedEvent) => void,
): Promise<EventStream> {
  const [sent, answer] = await begin(origin, `/events/stream${query}`);
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const at = block.indexOf('data: ');
      if (at >= 0) onEvent(JSON.parse(block.slice(at + 6)) as StreamedEvent);
    }
  });
  answer.on('error', () => undefined);
  return { close: () => sent.destroy() };
}

function begin({ host, port, prefix }: Origin, path: string): Promise<[ClientRequest, IncomingMessage]> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path: `${prefix}${path}`, headers: serverHeaders, agent: false }, (answer) => {
      if (answer.statusCode === 200) resolve([sent, answer]);
      else reject(new Error(`${path} answered ${answer.statusCode}`));
    });
    sent.on('error', reject);
    sent.end();
  });
}
