import type { ComponentType } from 'react';
import { late, useLate } from '../lib/late.ts';

type DialogProps = { isOpen?: boolean; onClose: () => void };

/**
 * A dialog whose code is loaded after its page.
 * @param isOpen whether it opens, if it has no such property
 */
export function lateDialog<Props extends DialogProps>(
  load: () => Promise<ComponentType<Props>>,
  isOpen: (props: Props) => boolean = (props) => props.isOpen === true,
) {
  const code = late(load);
  return function LateDialog(props: Props) {
    const Dialog = useLate(code, isOpen(props), props.onClose);
    return Dialog === undefined ? null : <Dialog {...props} />;
  };
}
