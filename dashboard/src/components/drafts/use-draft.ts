import { useState } from 'react';

/**
 * `text` says a value as the page shows it; `describe`, what changed, for values that are too long to show; `fault`,
 * why it can't be saved.
 */
export type Field<Value, Values> = {
  label: string;
  text?: (value: Value) => string;
  describe?: (saved: Value, value: Value) => string;
  fault?: (value: Value, values: Values) => string | null;
  /** Whether it is saved with these values; always, unless said. */
  isUsed?: (values: Values) => boolean;
};
export type Fields<Values> = { readonly [Name in keyof Values]: Field<Values[Name], Values> };

/** Values that are edited and not saved yet. Fields that nobody edited follow the saved values. */
export type Draft<Values> = {
  fields: Fields<Values>;
  values: Values;
  saved: Values;
  /** What would be saved. */
  changes: Partial<Values>;
  /** Why a field can't be saved, once somebody has tried to. */
  faultOf(name: keyof Values): string | null;
  set<Name extends keyof Values>(name: Name, value: Values[Name]): void;
  /** Whether everything can be saved. If not, the faults are shown. */
  check(): boolean;
  /** Drops edits: all, or those that were saved and not edited again meanwhile. */
  discard(edits?: Partial<Values>): void;
};

export function useDraft<Values extends object>(saved: Values, fields: Fields<Values>): Draft<Values> {
  const [edits, setEdits] = useState<Partial<Values>>({});
  const [isTried, setTried] = useState(false);
  const values = { ...saved, ...edits };
  const names = Object.keys(fields) as (keyof Values)[];
  const isChanged = (name: keyof Values) => name in edits && !isSameValue(values[name], saved[name]);
  const changed = names.filter((name) => isChanged(name) && (fields[name].isUsed?.(values) ?? true));
  const faultOf = (name: keyof Values) => fields[name].fault?.(values[name], values) ?? null;
  const discard = (dropped: Partial<Values> = edits): void => {
    setEdits((latest) => {
      const left = Object.entries(latest).filter(([name, value]) => value !== dropped[name as keyof Values]);
      return Object.fromEntries(left) as Partial<Values>;
    });
    setTried(false);
  };
  return {
    fields,
    values,
    saved,
    changes: Object.fromEntries(changed.map((name) => [name, values[name]])) as Partial<Values>,
    faultOf: (name) => (isTried ? faultOf(name) : null),
    set: (name, value) =>
      setEdits(
        ({ [name]: _, ...others }) =>
          (isSameValue(value, saved[name]) ? others : { ...others, [name]: value }) as Partial<Values>,
      ),
    check: () => {
      setTried(true);
      return names.every((name) => faultOf(name) === null);
    },
    discard,
  };
}

const isSameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
