import { type PublicEventType, publicEventTypes } from './types.ts';

const isNamed = (type: PublicEventType, name: string) =>
  name.endsWith('.*') ? type.startsWith(name.slice(0, -1)) : type === name;

/** Whether a name is a type of public event, or the beginning of some: `user.*`. */
export const isTypeName = (name: string): boolean => publicEventTypes.some((type) => isNamed(type, name));

/** The types that the names stand for. */
export const typesNamed = (names: readonly string[]): PublicEventType[] =>
  publicEventTypes.filter((type) => names.some((name) => isNamed(type, name)));
