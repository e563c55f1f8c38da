import type { PreviewedCall } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { Trans } from '@lingui/react/macro';
import { Modal, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { PreviewNote } from './changes/preview-note.tsx';
import { DialogForm } from './dialog-form.tsx';

type ConfirmDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  confirmLabel: string;
  /** Color of the confirm button: red by default, another one when nothing is lost. */
  color?: string;
  /** Text that the user must type to enable the button. */
  typedConfirmation?: string;
  /** What `onConfirm` will call: the dialog shows its effects first. */
  call?: PreviewedCall | undefined;
  /** The dialog closes when this succeeds and shows the error when it fails. */
  onConfirm: () => Promise<unknown>;
};

/** The dialog of `ConfirmDialog`. */
export function Confirmation({ isOpen, onClose, title, ...body }: ConfirmDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <ConfirmForm onClose={onClose} {...body} />
    </Modal>
  );
}

/** A separate component, so that its state resets each time the dialog opens. */
function ConfirmForm({
  onClose,
  children,
  confirmLabel,
  color = 'red',
  typedConfirmation,
  call,
  onConfirm,
}: Omit<ConfirmDialogProps, 'isOpen' | 'title'>) {
  const [text, setText] = useState('');
  const action = useAction(onConfirm);
  return (
    <DialogForm
      action={action}
      submitLabel={confirmLabel}
      color={color}
      isDisabled={typedConfirmation !== undefined && text.trim() !== typedConfirmation.trim()}
      onDone={onClose}
      onClose={onClose}
    >
      <Text size="sm" component="div">
        {children}
      </Text>
      {call && <PreviewNote call={call} />}
      {typedConfirmation !== undefined && (
        <TextInput
          label={
            <Trans>
              Type <strong>{typedConfirmation}</strong> to confirm
            </Trans>
          }
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      )}
    </DialogForm>
  );
}
