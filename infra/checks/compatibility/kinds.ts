import type { World } from './world.ts';

/** Drives one method. The objects it returns are searched for methods that no kind covers. */
export type Call = (world: World) => Promise<unknown>;
/** A call that needs a page: the method works in browsers only. */
export type BrowserCall = { outcome: 'works'; inBrowser: Call };
/** The method belongs to a feature that Gatebook does not offer. */
export type Unrelated = { outcome: 'unrelated'; feature: Feature };
/** No server can make the method work because of a fault in the client's code, which `proof` shows. */
export type Defect = { outcome: 'defect'; sentence: string; proof: Call; isInBrowser?: true };
export type Case = Call | BrowserCall | Unrelated | Defect;
type PerVersion = { perVersion: (version: string) => Case };

export type Feature =
  | 'payments'
  | 'data vault'
  | 'AI'
  | 'session replay'
  | 'analytics queries'
  | 'managed email domains'
  | 'email design in TSX';

export type Cases = Readonly<Record<string, Case | PerVersion>>;

/** A kind of object that the client library hands out. */
export type Kind = {
  name: string;
  /** One such object, to find its methods; null in versions without such objects. */
  sample(world: World): Promise<object | null>;
  /** The sample takes a browser. Without one, the cases are taken for the methods. */
  isInBrowser?: true;
  /** An object of the kind that the sample extends. Its methods have separate rows. */
  extends?: (world: World) => Promise<object>;
  cases: Cases;
};

export const inBrowser = (call: Call): BrowserCall => ({ outcome: 'works', inBrowser: call });
export const unrelated = (feature: Feature): Unrelated => ({ outcome: 'unrelated', feature });
export const defect = (sentence: string, proof: Call): Defect => ({ outcome: 'defect', sentence, proof });

export const defectInBrowser = (sentence: string, proof: Call): Defect => ({
  ...defect(sentence, proof),
  isInBrowser: true,
});

/** Versions up to `last` have the first case, newer versions the second. */
export const upTo = (last: string, older: Case, newer: Case): PerVersion => ({
  perVersion: (version) => (isUpTo(last, version) ? older : newer),
});

export function caseOf(kind: Kind, method: string, version: string): Case | undefined {
  const found = kind.cases[method];
  return found !== undefined && 'perVersion' in found ? found.perVersion(version) : found;
}

export const isUpTo = (last: string, version: string): boolean =>
  version.localeCompare(last, 'en', { numeric: true }) <= 0;
