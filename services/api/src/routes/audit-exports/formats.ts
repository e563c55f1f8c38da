import { toCloudEvent } from './cloud-events.ts';
import { csvHead, toCsvEnd, toCsvLine } from './csv.ts';
import type { ExportContext, ExportEnd, ExportedEvent } from './exported-event.ts';
import { toOcsf } from './ocsf.ts';

/** `toLine` and `toEnd` include the line break. `toLine` returns null for an event that the format does not have. */
export type ExportFormat = {
  contentType: string;
  extension: string;
  head: string;
  toLine: (event: ExportedEvent, context: ExportContext) => string | null;
  toEnd: (end: ExportEnd) => string;
};

const toJsonLine = (value: object) => `${JSON.stringify(value)}\n`;
const jsonLines = (toValue: (event: ExportedEvent, context: ExportContext) => object | null): ExportFormat => ({
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'jsonl',
  head: '',
  toLine: (event, context) => {
    const value = toValue(event, context);
    return value && toJsonLine(value);
  },
  toEnd: toJsonLine,
});

export const exportFormats = {
  jsonl: jsonLines((event) => event),
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
    head: csvHead,
    toLine: toCsvLine,
    toEnd: toCsvEnd,
  },
  ocsf: jsonLines(toOcsf),
  cloudevents: jsonLines(toCloudEvent),
} as const satisfies Readonly<Record<string, ExportFormat>>;
