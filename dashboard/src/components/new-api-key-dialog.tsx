import { t } from '@lingui/core/macro';
import { type ReactNode, useState } from 'react';
import { CopyField } from './copy-field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { ShownOnce } from './shown-once.tsx';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** The form, which calls `show` with the new key. */
  children: (show: (secret: string) => void, close: () => void) => ReactNode;
};

/** A form, then the key that it created, once. Clicking outside the dialog does not close it while the key is shown. */
export function NewApiKeyDialog({ isOpen, onClose, title, children }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setSecret(null);
    onClose();
  };
  return (
    <FormDialog
      opened={isOpen}
      onClose={close}
      title={secret === null ? title : t`Save your API key`}
      closeOnClickOutside={secret === null}
      size="lg"
    >
      {secret === null ? (
        children(setSecret, close)
      ) : (
        <ShownOnce note={t`Copy this key now. You won’t be able to see it again.`} onClose={close}>
          <CopyField label={t`API key`} value={secret} />
        </ShownOnce>
      )}
    </FormDialog>
  );
}
