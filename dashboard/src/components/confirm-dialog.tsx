import { useAction } from '@gatebook/react/use-action';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorNote } from './states.tsx';

type ConfirmDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  confirmLabel: string;
  /** Of the button; red, unless nothing is lost. */
  color?: string;
  /** Has to be typed before the button works. */
  typed?: string;
  /** Closes the dialog when it succeeds, shows the failure when not. */
  onConfirm: () => Promise<unknown>;
};

/** Asks once more before something that cannot be undone. */
export function ConfirmDialog({ isOpen, onClose, title, ...body }: ConfirmDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <ConfirmForm onClose={onClose} {...body} />
    </Modal>
  );
}

/** A component of its own, so that each opening starts afresh. */
function ConfirmForm({
  onClose,
  children,
  confirmLabel,
  color = 'red',
  typed,
  onConfirm,
}: Omit<ConfirmDialogProps, 'isOpen' | 'title'>) {
  const [text, setText] = useState('');
  const action = useAction(onConfirm);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await action.run()) onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm" component="div">
          {children}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={
              <>
                Type <strong>{typed}</strong> to confirm
              </>
            }
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={color}
            loading={action.isRunning}
            disabled={typed !== undefined && text.trim() !== typed.trim()}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
