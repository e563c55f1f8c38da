import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Call, Origin } from './load.ts';

/** `until`: as a filter. */
export type ExportToRead = { origin: Origin; headers: Call['headers']; events: number; until: string };
type Server = Pick<ExportToRead, 'origin' | 'headers'>;
type Line = { id?: string; end?: boolean };

/** An export that is cut off half-way and continued. @returns how many events were in the two parts once */
async function exportInTwoParts({ events, until, ...server }: ExportToRead): Promise<number> {
  const seen = new Set<string>();
  let repeated = 0;
  const note = ({ id }: Line): void => {
    if (id === undefined) return;
    if (seen.has(id)) repeated += 1;
    else seen.add(id);
  };
  const first = await readExport(server, until, note, Math.floor(events / 2));
  if (first.isComplete) throw new Error('an export that was cut off has an end');
  const second = await readExport(server, `${until}&after_event_id=${first.lastId}`, note, Number.POSITIVE_INFINITY);
  if (!second.isComplete) throw new Error('the continued export has no end');
  return seen.size - repeated;
}

/** Cuts the connection after this many lines. */
function readExport({ origin, headers }: Server, query: string, note: (line: Line) => void, most: number) {
  return new Promise<{ isComplete: boolean; lastId: string }>((resolve, reject) => {
    const path = `${origin.prefix}/internal/audit-events/export?format=jsonl&include_technical=true&outcome=success${query}`;
    let [lines, lastId, isComplete, rest] = [0, '', false, ''];
    const sent = request({ host: origin.host, port: origin.port, path, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`the export answered ${answer.statusCode}`));
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        const complete = (rest + chunk).split('\n');
        rest = complete.pop() ?? '';
        for (const text of complete) {
          if (lines >= most) continue;
          const line = JSON.parse(text) as Line;
          if (line.end) isComplete = true;
          else [lines, lastId] = [lines + 1, line.id ?? ''];
          note(line);
        }
        if (lines >= most) answer.destroy();
      });
      answer.on('close', () => resolve({ isComplete, lastId }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

parentPort?.postMessage(await exportInTwoParts(workerData as ExportToRead));
