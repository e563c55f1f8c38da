import type { AuditExport, AuditExportFormat } from '@gatebook/js/admin';
import { expect, test, vi } from 'vitest';
import { createExportDownload } from './download-export.ts';
import { createRecordReader, readRecord } from './export-records.ts';

const encoder = new TextEncoder();
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
const id = (nth: number) => `00000000-0000-4000-8000-00000000000${nth}`;
const jsonLines = [1, 2, 3].map((nth) => `${JSON.stringify({ id: id(nth), text: `Renamed to “Ä${nth}”` })}\n`);
const ocsfLines = [1, 2, 3].map((nth) => `${JSON.stringify({ metadata: { uid: id(nth) } })}\n`);
const csvRows = [1, 2, 3].map((nth) => `${id(nth)},2026,1,UserRenamed,user,"Named ""A\r\nB"", once"\r\n`);
const jsonEnd = `${JSON.stringify({ end: true, count: 3 })}\n`;
const files: readonly (readonly [AuditExportFormat, head: string, records: readonly string[], end: string])[] = [
  ['jsonl', '', jsonLines, jsonEnd],
  ['cloudevents', '', jsonLines, jsonEnd],
  ['ocsf', '', ocsfLines, jsonEnd],
  ['csv', '\ufeffid,time,at_millis,type\r\n', csvRows, ',,,end,,cursor\r\n'],
];

/** Sends a file in two chunks, and then fails or ends. */
function bodyOf(text: string, splitAt: number, isCut: boolean): ReadableStream<Uint8Array> {
  const bytes = encoder.encode(text);
  const chunks = [bytes.slice(0, splitAt), bytes.slice(splitAt)];
  return new ReadableStream({
    pull: (controller) => {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else if (isCut) controller.error(new TypeError('network error'));
      else controller.close();
    },
  });
}

function download(format: AuditExportFormat, answer: (query: AuditExport, nth: number) => ReadableStream<Uint8Array>) {
  const written: string[] = [];
  const progress = vi.fn();
  let nth = 0;
  const close = vi.fn(async () => {});
  const run = createExportDownload({
    audit: { openExport: async (query) => answer(query, nth++) },
    query: { format },
    file: {
      write: async (bytes) => void written.push(decode(bytes)),
      close,
      discard: async () => {},
    },
    onProgress: progress,
  });
  return { run, close, progress, text: () => written.join('') };
}

test.each(files)('an export as %s that is cut off anywhere continues after its last record', async (...file) => {
  const [format, head, records, end] = file;
  const complete = `${head}${records.join('')}${end}`;
  const { length } = encoder.encode(complete);
  for (let cut = 0; cut <= length; cut += 1) {
    const { run, text, close, progress } = download(format, ({ afterEventId }, nth) => {
      if (nth === 0) return bodyOf(decode(encoder.encode(complete).slice(0, cut)), cut >> 1, true);
      const rest = records.slice(records.findIndex((record) => record.includes(afterEventId ?? 'none')) + 1);
      return bodyOf(`${head}${rest.join('')}${end}`, 5, false);
    });
    await run(new AbortController().signal);
    expect(text()).toBe(complete);
    expect(close).toHaveBeenCalledOnce();
    expect(progress).toHaveBeenLastCalledWith({ events: 3, bytes: length });
  }
});

test('a download that makes no progress stops, and continues on request', async () => {
  let isOnline = false;
  const complete = `${jsonLines.join('')}${jsonEnd}`;
  const { run, text, close } = download('jsonl', ({ afterEventId }) => {
    if (afterEventId === undefined) return bodyOf(jsonLines[0] ?? '', 3, true);
    return isOnline ? bodyOf(complete.slice(jsonLines[0]?.length), 9, false) : bodyOf('', 0, true);
  });
  await expect(run(new AbortController().signal)).rejects.toThrow('The connection was lost.');
  expect(close).not.toHaveBeenCalled();
  isOnline = true;
  await run(new AbortController().signal);
  expect(text()).toBe(complete);
});

test('a full disk ends the transfer', async () => {
  const cancel = vi.fn();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(jsonLines[0])),
    cancel,
  });
  const write = () => Promise.reject(new Error('The disk is full.'));
  const file = { write, close: async () => {}, discard: async () => {} };
  const audit = { openExport: async () => body };
  const run = createExportDownload({ audit, query: { format: 'jsonl' }, file, onProgress: () => {} });
  await expect(run(new AbortController().signal)).rejects.toThrow('The disk is full.');
  expect(cancel).toHaveBeenCalledOnce();
});

test('a record is an event, the head or the end', () => {
  expect(readRecord('csv', 'id,time\r\n')).toEqual({ kind: 'head' });
  expect(readRecord('csv', ',,,end,,cursor\r\n')).toEqual({ kind: 'end' });
  expect(readRecord('ocsf', ocsfLines[1] ?? '')).toEqual({ kind: 'event', id: id(2) });
});

test('an incomplete record is kept back', () => {
  const read = createRecordReader('csv', false);
  expect(read(encoder.encode('id,text\r\n1,"a\n'))).toMatchObject({ count: 0, last: 'id,text\r\n' });
  expect(read(encoder.encode('b"'))).toBeNull();
  expect(read(encoder.encode('\r\n2,'))).toMatchObject({ count: 1, last: '1,"a\nb"\r\n' });
});
