import { Stack } from '@mantine/core';
import type { ComponentProps, FormEvent, ReactNode } from 'react';
import { DialogButtons } from './dialog-buttons.tsx';

type Buttons = ComponentProps<typeof DialogButtons>;
type Submit<Values> = (handle: (values: Values) => void) => (event: FormEvent<HTMLFormElement>) => void;
type Props<Values> = Omit<Buttons, 'action'> & {
  /** Gives the action the values of its fields once they are valid. */
  form?: { onSubmit: Submit<Values> };
  action: Buttons['action'] & { run: (values: Values) => Promise<boolean> };
  /** After the action, unless the dialog was closed meanwhile. */
  onDone?: () => void;
  children: ReactNode;
};

/** The form of a dialog with one action: its fields, why the action failed, and its buttons. */
export function DialogForm<Values = undefined>({
  form = { onSubmit: submitNothing as Submit<Values> },
  action,
  onDone,
  children,
  ...buttons
}: Props<Values>) {
  const run = async (values: Values): Promise<void> => {
    if (await action.run(values)) onDone?.();
  };
  return (
    <form onSubmit={form.onSubmit((values) => void run(values))} noValidate>
      <Stack gap="md">
        {children}
        <DialogButtons action={action} {...buttons} />
      </Stack>
    </form>
  );
}

const submitNothing: Submit<undefined> = (handle) => (event) => {
  event.preventDefault();
  handle(undefined);
};
