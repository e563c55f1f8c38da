/** A feature of the protocol's original service that Gatebook leaves out. */
export class NotOfferedError extends Error {
  readonly method: string;

  constructor(method: string) {
    super(`${method} is not offered by Gatebook.`);
    this.name = 'NotOfferedError';
    this.method = method;
  }
}

export type NotOffered<Name extends string> = Readonly<Record<Name, (...args: unknown[]) => Promise<never>>>;

/** Methods that reject with a `NotOfferedError`. */
export function notOffered<Name extends string>(...names: Name[]): NotOffered<Name> {
  const methodOf = (name: Name) => [
    name,
    async () => {
      throw new NotOfferedError(name);
    },
  ];
  return Object.fromEntries(names.map(methodOf));
}
