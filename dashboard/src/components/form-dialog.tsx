import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, type ModalProps, Text } from '@mantine/core';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useUnsaved } from '../lib/unsaved.ts';
import { FormDialogContext } from './form-dialog-state.ts';

type FormDialogProps = Pick<ModalProps, 'opened' | 'onClose' | 'title' | 'size' | 'closeOnClickOutside'> & {
  children: ReactNode;
};

/** A dialog with fields. Closing it in any way but its buttons asks first once something is typed. */
export function FormDialog({ opened, onClose, children, ...modal }: FormDialogProps) {
  const [isEdited, setEdited] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [isSubmitting, setSubmitting] = useState(false);
  useEffect(() => {
    if (opened) return;
    setEdited(false);
    setAsking(false);
  }, [opened]);
  useUnsaved(opened && isEdited && !isSubmitting);
  const state = useMemo(() => ({ setSubmitting, setEdited }), []);
  const markEdited = (): void => setEdited(true);
  return (
    <Modal opened={opened} onClose={() => (isEdited && !isAsking ? setAsking(true) : onClose())} {...modal}>
      {/* Events of all fields arrive here. */}
      <div onInput={markEdited} onChange={markEdited} role="presentation">
        <FormDialogContext value={state}>{children}</FormDialogContext>
      </div>
      {isAsking && (
        <div role="alert">
          <Text size="sm" mt="md" mb="xs">
            <Trans>Close without saving? What you typed will be lost.</Trans>
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} autoFocus>
              <Trans>Keep editing</Trans>
            </Button>
            <Button color="red" onClick={onClose}>
              <Trans>Discard and close</Trans>
            </Button>
          </Group>
        </div>
      )}
    </Modal>
  );
}
