import { StackHandler } from '@stackframe/stack';

/** The sign-in pages and the account settings of the library. */
export default function Handler() {
  return <StackHandler fullPage />;
}
