import { gatebookErrors, knownErrors } from '@gatebook/contract/errors';
import { z } from 'zod';
import type { Schema } from './openapi-document.ts';

/** Every code with status, details and message, in the order of the catalog. */
export function errorReference(typeOf: (schema: Schema) => string): string {
  const rows = Object.entries({ ...knownErrors, ...gatebookErrors }).map(([code, { status, details, text }]) => {
    const shape = details && (z.toJSONSchema(details) as Schema).properties;
    const fields = Object.entries(shape ?? {}).map(([name, field]) => `${name}: ${typeOf(field)}`);
    return `| \`${code}\` | ${status} | ${fields.join(', ')} | ${text(placeholders)} |`;
  });
  return ['| Code | Status | Details | Message |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

/** Stands for the facts in a message: each is shown as `{its_name}`. */
const placeholders = new Proxy<Readonly<Record<string, unknown>>>({}, { get: (_facts, name) => `{${String(name)}}` });
