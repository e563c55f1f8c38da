import { Fragment } from 'react';

/** An email address that breaks before an `@` or a dot where it does not fit on one line. */
export function AddressText({ value }: { value: string }) {
  const parts = value.matchAll(/^[^@.]+|[@.][^@.]*/g);
  return [...parts].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
