import type { z } from 'zod';

/** How the faults of a malformed request are described. Paths are those of the request in every language. */
export type FaultTexts = {
  list: (method: string, path: string) => string;
  required: (path: string) => string;
  unknownFields: (path: string, names: string) => string;
  unstorableText: (path: string) => string;
  unstorableKey: (path: string) => string;
  /** For schemas that define no message. */
  issue?: z.core.$ZodErrorMap;
  /** The text of a schema, or of a rule that rejects a value. */
  own: (text: string) => string;
};

export const englishFaults: FaultTexts = {
  list: (method, path) => `The request ${method} ${path} has faults:`,
  required: (path) => `${path} is required`,
  unknownFields: (path, names) => `${path} has unknown fields: ${names}`,
  unstorableText: (path) => `${path} contains characters that can’t be stored`,
  unstorableKey: (path) => `${path} contains a key that can’t be stored`,
  own: (text) => text,
};
