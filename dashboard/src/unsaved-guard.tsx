import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useCallback, useState } from 'react';
import { createUnsavedChanges, UnsavedContext } from './lib/unsaved.ts';

type Place = { pathname: string; search: unknown };
const isSamePage = (one: Place, other: Place): boolean =>
  one.pathname === other.pathname && JSON.stringify(one.search) === JSON.stringify(other.search);

/** Asks before somebody leaves a page with unsaved changes: by a link, the browser's buttons, or closing the tab. */
export function UnsavedGuard({ children }: { children: ReactNode }) {
  const [changes] = useState(createUnsavedChanges);
  const shouldBlockFn = useCallback(
    ({ current, next }: { current: Place; next: Place }) => changes.has() && !isSamePage(current, next),
    [changes],
  );
  const { status, proceed, reset } = useBlocker({ shouldBlockFn, enableBeforeUnload: changes.has, withResolver: true });
  return (
    <UnsavedContext value={changes}>
      {children}
      <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without saving?">
        <Stack gap="md">
          <Text size="sm">Your unsaved changes will be lost.</Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => reset?.()} data-autofocus>
              Stay on this page
            </Button>
            <Button color="red" onClick={() => proceed?.()}>
              Discard and leave
            </Button>
          </Group>
        </Stack>
      </Modal>
    </UnsavedContext>
  );
}
