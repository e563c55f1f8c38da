import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition } from '@gatebook/domain/event';
import { z } from 'zod';

export type JsonSchema = {
  type?: string | readonly string[];
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  properties?: Readonly<Record<string, JsonSchema>>;
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  required?: readonly string[];
  items?: JsonSchema;
};

/** SHA-256 of the schema of each version of each event type. */
export type SchemaHashes = Record<string, Record<string, string>>;

const file = new URL('./schemas.json', import.meta.url);

/** The schema of what is appended, before defaults are filled in. */
export const schemaOf = ({ data }: Pick<EventDefinition, 'data'>) =>
  z.toJSONSchema(data, { io: 'input' }) as JsonSchema;

/** Of the event types in the code, at their newest versions. */
export const currentSchemas = (): SchemaHashes =>
  Object.fromEntries(
    Object.entries<EventDefinition>(catalog).map(([type, definition]) => [
      type,
      { [definition.version]: hashOf(definition) },
    ]),
  );

/** The encrypted fields are part of the schema: they say where a value is stored. */
export function hashOf(definition: EventDefinition): string {
  const { personal = null } = definition;
  const text = JSON.stringify(sorted({ schema: schemaOf(definition), personal }));
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** The order of keys and of lists of names has no meaning in a schema. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.every((item) => typeof item === 'string') ? value.toSorted() : value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const readSchemas = async (): Promise<SchemaHashes> => JSON.parse(await readFile(file, 'utf8')) as SchemaHashes;

export async function writeSchemas(schemas: SchemaHashes): Promise<void> {
  await writeFile(file, `${JSON.stringify(sorted(schemas), null, 2)}\n`);
}

/** `isFinal`: recording does not help, because logs contain events of this version. */
export type SchemaFault = { isFinal: boolean; text: string };

/**
 * What is wrong with the schemas in the code, given the recorded ones. `isReleased` says whether an event of a version
 * is in the recorded log of a release, so that its schema can't change anymore.
 */
export function schemaFaults(
  recorded: SchemaHashes,
  current: SchemaHashes,
  isReleased: (type: string, version: string) => boolean,
): SchemaFault[] {
  const changed = Object.entries(current).flatMap(([type, versions]) =>
    Object.entries(versions).flatMap(([version, hash]) => {
      if (recorded[type]?.[version] === hash) return [];
      const what = `The schema of ${type} version ${version} is new or changed`;
      return isReleased(type, version)
        ? {
            isFinal: true,
            text: `${what}, but logs contain such events: raise the version, write an upcast, then ${run}`,
          }
        : { isFinal: false, text: `${what}: ${run}` };
    }),
  );
  const removed = Object.entries(recorded)
    .filter(([type, versions]) => !current[type] && Object.keys(versions).some((version) => isReleased(type, version)))
    .map(([type]) => ({ isFinal: true, text: `Logs contain events of type ${type}, so it must stay in the catalog.` }));
  return [...changed, ...removed];
}

const run = 'run "npm run record:schemas".';
