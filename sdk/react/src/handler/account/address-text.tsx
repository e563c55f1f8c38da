import { Fragment } from 'react';

/** An email address that breaks before an `@` or a dot where it does not fit on one line. */
export function AddressText({ value }: { value: string }) {
  const parts = value.split(/(?=[@.])/);
  return parts.map((part, nth) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
    <Fragment key={nth}>
      {nth > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
