/** `type`: dotted, without the prefix and the version. `at`: milliseconds since 1970. */
type Described = { id: string; source: string; type: string; subject?: string | undefined; at: number; schema: string };

/** Attributes of CloudEvents 1.0 in structured mode. */
export const cloudEventAttributes = ({ id, source, type, subject, at, schema }: Described) => ({
  specversion: '1.0' as const,
  id,
  source,
  type: `dev.gatebook.${type}.v1`,
  ...(subject !== undefined && { subject }),
  time: new Date(at).toISOString(),
  datacontenttype: 'application/json',
  dataschema: schema,
});
