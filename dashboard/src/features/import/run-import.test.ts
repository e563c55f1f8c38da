import type { ImportedRow, ImportOptions, ImportRow } from '@gatebook/js/admin';
import { expect, test, vi } from 'vitest';
import { type ImportProgress, runImport } from './run-import.ts';

const options: ImportOptions = { source: 'csv', isDryRun: false, hasNewIds: false, firebaseHash: null };
const created = (rows: readonly ImportRow[]): ImportedRow[] =>
  rows.map(({ line }) => ({ line, id: `u${line}`, outcome: 'created', problems: [] }));

type Given = {
  text: string;
  importUsers?: (rows: readonly ImportRow[], options: ImportOptions) => Promise<readonly ImportedRow[]>;
  isDryRun?: boolean;
  signal?: AbortSignal;
};

async function run({ text, importUsers = async (rows) => created(rows), isDryRun = false, signal }: Given) {
  const seen: ImportProgress[] = [];
  const file = new File([text], 'users.csv');
  const report = await runImport({
    file,
    options: { ...options, isDryRun },
    importUsers,
    signal: signal ?? new AbortController().signal,
    onProgress: (progress) => seen.push(progress),
  });
  // `text()` leaves out the byte order mark.
  const bytes = await report.arrayBuffer();
  return { report: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), last: seen.at(-1), size: file.size };
}

const csv = (count: number, note = '') =>
  `id,email\n${Array.from({ length: count }, (_, nth) => `u${nth},u${nth}${note}@mail.example\n`).join('')}`;

test('sends every row once, in batches that the server accepts', async () => {
  const batches: (readonly ImportRow[])[] = [];
  const importUsers = vi.fn(async (rows: readonly ImportRow[]) => {
    batches.push(rows);
    return created(rows);
  });
  const { last, size } = await run({ text: csv(1_050), importUsers });
  expect(batches.every(({ length }) => length <= 100)).toBe(true);
  const lines = batches.flatMap((rows) => rows.map(({ line }) => line)).toSorted((one, other) => one - other);
  expect(lines).toEqual(Array.from({ length: 1_050 }, (_, nth) => nth + 2));
  expect(last).toMatchObject({ bytes: size, counts: { rows: 1_050, created: 1_050, rejected: 0 } });
});

test('keeps batches below a megabyte, and leaves rows to the command line that are too large', async () => {
  const large = { id: 'a', metadata: 'x'.repeat(60_000) };
  const tooLarge = { id: 'b', metadata: 'x'.repeat(70_000) };
  const text = [...Array.from({ length: 40 }, () => large), tooLarge].map((row) => JSON.stringify(row)).join('\n');
  const sizes: number[] = [];
  const { report, last } = await run({
    text,
    importUsers: async (rows) => {
      sizes.push(JSON.stringify(rows).length);
      return created(rows);
    },
  });
  expect(Math.max(...sizes)).toBeLessThan(1_048_576);
  expect(last?.counts).toMatchObject({ rows: 41, created: 40, rejected: 1 });
  expect(report).toContain('users.csv,41,,row,too_large,');
});

test('a dry run sends one batch at a time', async () => {
  let [open, most] = [0, 0];
  const importUsers = async (rows: readonly ImportRow[]) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setTimeout(resolve, 1));
    open -= 1;
    return created(rows);
  };
  await run({ text: csv(500), importUsers, isDryRun: true });
  expect(most).toBe(1);
  await run({ text: csv(500), importUsers });
  expect(most).toBe(3);
});

test('reports what was lost, without formulas for spreadsheets', async () => {
  const importUsers = async (rows: readonly ImportRow[]): Promise<ImportedRow[]> =>
    rows.map(({ line }) => ({
      line,
      id: '=cmd()',
      outcome: line === 2 ? 'rejected' : 'created',
      problems: [{ reason: line === 2 ? 'email_in_use' : 'phone_number', detail: 'a, "b"' }],
    }));
  const { report, last } = await run({ text: csv(2), importUsers });
  expect(report).toBe(
    '\ufefffile,line,id,lost,reason,detail\r\n' +
      'users.csv,2,\'=cmd(),row,email_in_use,"a, ""b"""\r\n' +
      'users.csv,3,\'=cmd(),part,phone_number,"a, ""b"""\r\n',
  );
  expect([...(last?.reasons.values() ?? [])]).toEqual([
    { lost: 'row', reason: 'email_in_use', count: 1 },
    { lost: 'part', reason: 'phone_number', count: 1 },
  ]);
});

test('a failed request ends the import, after the counts of what was sent', async () => {
  let calls = 0;
  const importUsers = async (rows: readonly ImportRow[]) => {
    calls += 1;
    if (calls === 2) throw new Error('connection lost');
    return created(rows);
  };
  await expect(run({ text: csv(1_000), importUsers })).rejects.toThrow('connection lost');
  expect(calls).toBeLessThan(6);
});

test('a file that cannot be read to its end fails the import after the batches in progress', async () => {
  let isRead = false;
  const stream = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (control) => {
        if (isRead) return control.error(new Error('The file changed.'));
        isRead = true;
        control.enqueue(new TextEncoder().encode(csv(150)));
      },
    });
  let left = 0;
  const importUsers = async (rows: readonly ImportRow[]) => {
    left += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
    left -= 1;
    return created(rows);
  };
  const file = { name: 'users.csv', size: 10_000, stream };
  const signal = new AbortController().signal;
  const running = runImport({ file, options, importUsers, signal, onProgress: () => {} });
  await expect(running).rejects.toThrow('The file changed.');
  expect(left).toBe(0);
});

test('stops after the batches in progress', async () => {
  const stop = new AbortController();
  const importUsers = async (rows: readonly ImportRow[]) => {
    stop.abort();
    return created(rows);
  };
  const { last } = await run({ text: csv(1_000), importUsers, signal: stop.signal });
  expect(last?.counts.rows).toBeLessThanOrEqual(300);
});
