import type { maxBytesKey } from '@gatebook/contract/common';

/** The parts of an OpenAPI 3.1 document that the reference shows. */
export type Schema = {
  type?: string | readonly string[];
  $ref?: string;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  description?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  propertyNames?: Schema;
  /** Greatest size of a free value as compact JSON. */
  [maxBytesKey]?: number;
};
type Content = { content?: Readonly<Record<string, { schema?: Schema }>> };
export type Operation = {
  tags?: readonly string[];
  summary?: string;
  description?: string;
  parameters?: readonly { name: string; in: string; required?: boolean; schema?: Schema; description?: string }[];
  requestBody?: Content;
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  responses?: Readonly<Record<string, Content & { description?: string }>>;
};
export type OpenApi = {
  tags: readonly { name: string; description?: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
};
