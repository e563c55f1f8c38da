import { millisOf } from './queries.ts';
import { afterTexts } from './sort-keys.ts';

/** What a list of users is sorted by, before the ID. */
export type ListSort = 'signedUp' | 'name' | 'email';

type SortKey = {
  /** SQL for the key of users `u`, by index. */
  of(u: string): string;
  /** SQL for the text of a key in a cursor, and for the key of such a text. */
  textOf(u: string): string;
  parse(parameter: string): string;
  /** SQL for bounds of all keys. */
  lowest: string;
  highest: string;
};

/** Of a key in characters. */
const mostCharacters = 40;

const textKey = (column: 'sort_name' | 'sort_email'): SortKey => ({
  of: (u) => `${u}.${column} collate "C"`,
  textOf: (u) => `encode(convert_to(${u}.${column}, 'UTF8'), 'hex')`,
  parse: (parameter) => `convert_from(decode(${parameter}, 'hex'), 'UTF8') collate "C"`,
  lowest: `'' collate "C"`,
  highest: `repeat(${afterTexts}, ${mostCharacters}) collate "C"`,
});

export const listSorts: Readonly<Record<ListSort, SortKey>> = {
  signedUp: {
    of: (u) => `${u}.signed_up_at`,
    textOf: (u) => millisOf(`${u}.signed_up_at`),
    parse: (parameter) => `${parameter}::timestamptz`,
    lowest: `timestamptz '-infinity'`,
    highest: `timestamptz 'infinity'`,
  },
  name: textKey('sort_name'),
  email: textKey('sort_email'),
};
